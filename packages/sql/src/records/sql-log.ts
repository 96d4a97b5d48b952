import type { Embedder, Namespace } from '@keepsake/core';
import {
  changeGuarded,
  type DecideChanges,
  type GuardedChange,
  type GuardedResult,
  type IndexWriter,
  type LoggedRecord,
  type LogPart,
  type LogPosition,
  type LogRange,
  type RecordLog,
  type SavedIndex,
  type SeenInNamespace,
} from '@keepsake/search';
import { liveIn } from '../database/clock.ts';
import { type Database, openDatabase } from '../database/database.ts';
import type { Driver } from '../database/driver.ts';
import { eraseDeleted } from '../database/erase-deleted.ts';
import { failureOf } from '../database/failure.ts';
import { Values, type Written } from '../database/statement.ts';
import { fromStorable } from '../database/storable-text.ts';
import { type NamespaceKey, namespaceKeyOf } from './namespace-key.ts';
import { clearNamespaces, isHere, removeCleared } from './namespaces.ts';
import { type RecordRow, readBytes, readRow } from './record-rows.ts';
import { changeStatement, selectChanges, selectRange, selectRecords, sweepStatement } from './record-statements.ts';
import { readIndex, removeIndexes, writeIndex } from './saved-indexes.ts';

/** How many records one statement reads. */
const STEP = 500;

/** What a change returns. */
interface ChangeRow {
  readonly now_ms: unknown;
  /** The number of the last change before these, and their writer. From PostgreSQL only. */
  readonly before?: unknown;
  readonly writer?: string | null;
  /** The records that are there instead, as JSON. From PostgreSQL only. */
  readonly known?: string | null;
}

/** The records of one namespace. */
export class SqlLog implements RecordLog {
  readonly #driver: Driver;
  readonly #namespace: NamespaceKey;
  /** Whose vectors are read and written. */
  readonly #embedder: Embedder | undefined;
  readonly #seen: SeenInNamespace;

  constructor(driver: Driver, namespace: Namespace, embedder: Embedder | undefined, seen: SeenInNamespace) {
    this.#driver = driver;
    this.#seen = seen;
    this.#namespace = namespaceKeyOf(namespace);
    this.#embedder = embedder;
  }

  #open(): Promise<Database> {
    return openDatabase(this.#driver);
  }

  async read(ids: readonly string[]): Promise<LoggedRecord[]> {
    const database = await this.#open();
    const records: LoggedRecord[] = [];
    for (let from = 0; from < ids.length; from += STEP) {
      const some = ids.slice(from, from + STEP);
      records.push(...(await readRows(database, selectRecords(database.dialect, this.#namespace, some))));
    }
    this.#seen.set(ids, records);
    return records;
  }

  async change(ids: readonly string[], decide: DecideChanges, signal?: AbortSignal): Promise<void> {
    const database = await this.#open();
    await changeGuarded(
      {
        seen: this.#seen,
        read: (some) => this.read(some),
        make: (changes) => this.#make(database, changes, signal),
      },
      ids,
      decide,
    );
  }

  async #make(
    database: Database,
    changes: readonly GuardedChange[],
    signal: AbortSignal | undefined,
  ): Promise<GuardedResult> {
    const statement = changeStatement(database.dialect, this.#namespace, changes, this.#embedder);
    try {
      const [row] = await database.writeRows<ChangeRow>(statement, signal);
      if (row?.known == null) {
        return { now: new Date(Number(row?.now_ms)), before: Number(row?.before), writer: row?.writer ?? undefined };
      }
      return { known: (JSON.parse(row.known) as RecordRow[]).map(readRow) };
    } catch (error) {
      // The trigger of SQLite raises this.
      if (!failureOf((error as { cause?: unknown }).cause).message.includes('keepsake: changed')) throw error;
      return { known: await this.read(changes.map(({ id }) => id)) };
    }
  }

  async changes(after: LogPosition | undefined): Promise<LogPart> {
    const database = await this.#open();
    const { dialect } = database;
    const statement = selectChanges(dialect, this.#namespace, after, STEP, this.#embedder);
    const rows = await database.readRows<RecordRow>(statement);
    const state = rows.find(({ id }) => id === null);
    const [log, forgotten] = [state && Number(state.created), Number(state?.created_ms ?? 0)];
    const isBeginning = after === undefined || after.log !== log || Math.max(after.change, after.began) < forgotten;
    const changed = rows.filter((row) => row !== state).sort((a, b) => Number(a.change) - Number(b.change));
    return {
      log,
      isBeginning,
      changes: changed.map((row) =>
        row.record === null
          ? { deleted: fromStorable(row.id), change: Number(row.change) }
          : { ...readRow(row), vector: this.#vectorOf(dialect, row) },
      ),
      change: Number(changed.at(-1)?.change ?? (isBeginning ? 0 : after.change)),
      began: isBeginning ? Math.max(Number(state?.change ?? 0), forgotten) : after.began,
      isLast: changed.length < STEP,
      ...(state && { now: Number(state.updated_ms) }),
    };
  }

  #vectorOf(dialect: Database['dialect'], { vector }: RecordRow): Float32Array | undefined {
    const bytes = vector == null ? undefined : readBytes(dialect, vector);
    if (bytes?.length !== 4 * (this.#embedder?.dimensions ?? 0)) return undefined;
    return new Float32Array(new Uint8Array(bytes).buffer);
  }

  async list(range: LogRange): Promise<LoggedRecord[]> {
    const database = await this.#open();
    return readRows(database, selectRange(database.dialect, this.#namespace, range));
  }

  async clear(): Promise<number> {
    return clearNamespaces(await this.#open(), (values) => isHere(this.#namespace, values));
  }

  async compact(): Promise<void> {
    const database = await this.#open();
    do await database.writeRows(sweepStatement(database.dialect, this.#namespace));
    while (await this.#hasExpired(database));
    await removeIndexes(database, this.#namespace);
    await removeCleared(database);
    await eraseDeleted(database);
  }

  async #hasExpired(database: Database): Promise<boolean> {
    const values = new Values(database.dialect);
    const sql = `SELECT 1 AS expired FROM keepsake_records WHERE expires_ms IS NOT NULL AND NOT ${liveIn(database.dialect)}
      AND namespace = (SELECT number FROM keepsake_namespaces WHERE ${isHere(this.#namespace, values)}) LIMIT 1`;
    return (await database.readRows({ sql, values })).length > 0;
  }

  async readIndex(variant: string): Promise<SavedIndex | undefined> {
    return readIndex(await this.#open(), this.#namespace, variant);
  }

  async writeIndex(variant: string, knownChange: number): Promise<IndexWriter | undefined> {
    return writeIndex(await this.#open(), this.#namespace, variant, knownChange);
  }
}

async function readRows(database: Database, statement: Written): Promise<LoggedRecord[]> {
  return (await database.readRows<RecordRow>(statement)).map(readRow);
}
