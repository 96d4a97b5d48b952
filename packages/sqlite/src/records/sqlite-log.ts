import { type Embedder, formatNamespace, type Namespace } from '@keepsake/core';
import type { Steps } from '@keepsake/internal';
import type {
  DecideChanges,
  IndexWriter,
  LoggedRecord,
  LogPart,
  LogPosition,
  LogRange,
  RecordLog,
  SavedIndex,
} from '@keepsake/search';
import { hasClearedRows, removeClearedRows } from '../database/cleared-rows.ts';
import type { Connection } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { afterDeletion, eraseCleared, eraseDeleted } from '../database/erase-deleted.ts';
import { forgetDeleted, readIndex, writeIndex } from './index-rows.ts';
import { clearNamespace, findNamespace } from './namespace-rows.ts';
import { lastChange, makeChanges, removeExpired } from './record-changes.ts';
import { columnsWith, findRow, LIVE, type RecordRow, readRow } from './record-rows.ts';

/** A batch of more records takes longer than a step. */
const MANY_RECORDS = 32;
/** How many records are read at once. Other work of the process goes on between. */
const STEP = 500;

/** The records of one namespace in the tables. */
export class SqliteLog implements RecordLog {
  readonly #database: Database;
  readonly #namespace: Namespace;
  /** Whose vectors are read and written. */
  readonly #embedder: Embedder | undefined;
  readonly #columns: string;

  constructor(database: Database, namespace: Namespace, embedder: Embedder | undefined) {
    this.#database = database;
    this.#namespace = namespace;
    this.#embedder = embedder;
    this.#columns = columnsWith(embedder);
  }

  async read(ids: readonly string[]): Promise<LoggedRecord[]> {
    const records: LoggedRecord[] = [];
    for (let from = 0; from < ids.length; from += STEP) {
      await this.#database.read((connection) => {
        const row = findNamespace(connection, this.#namespace);
        if (row === undefined) return;
        for (const id of ids.slice(from, from + STEP)) {
          const record = findRow(connection, row.namespace, id);
          if (record !== undefined) records.push(readRow(record, undefined));
        }
      });
    }
    return records;
  }

  async change(ids: readonly string[], decide: DecideChanges): Promise<void> {
    const { length } = ids;
    const [namespace, embedder] = [this.#namespace, this.#embedder];
    const change = (connection: Connection): Steps<void> =>
      makeChanges(connection, namespace, embedder, { ids, decide });
    await this.#database.writeLong(change, length > MANY_RECORDS);
    // The change is made. What is left of a namespace that it has emptied can be removed later.
    await this.#removeLeftRows().catch(() => {});
  }

  async #removeLeftRows(): Promise<void> {
    if (await this.#database.read(hasClearedRows)) await removeClearedRows(this.#database);
  }

  changes(after: LogPosition | undefined): Promise<LogPart> {
    return this.#database.snapshot((connection) => {
      const row = findNamespace(connection, this.#namespace);
      const { namespace: log, forgotten = 0 } = row ?? {};
      const isBeginning = after === undefined || after.log !== log || Math.max(after.change, after.began) < forgotten;
      const from = isBeginning ? 0 : after.change;
      const began = isBeginning ? Math.max(lastChange(connection), forgotten) : after.began;
      const sql = `SELECT ${this.#columns} FROM keepsake_records WHERE namespace = ? AND change > ? ORDER BY change LIMIT ?`;
      const rows = log === undefined ? [] : connection.all<RecordRow>(sql, log, from, STEP);
      return {
        ...{ log, isBeginning, began },
        changes: rows.map((row) =>
          row.json === null ? { deleted: row.id, change: row.change } : readRow(row, this.#embedder),
        ),
        change: rows.at(-1)?.change ?? from,
        isLast: rows.length < STEP,
      };
    });
  }

  list({ order, after, limit }: LogRange): Promise<LoggedRecord[]> {
    const [sign, direction, first] = order === 'oldest' ? ['>', 'ASC', 0] : ['<', 'DESC', Number.MAX_SAFE_INTEGER];
    // Without json IS NOT NULL, SQLite does not use the index by creation.
    const sql = `SELECT ${columnsWith(undefined)} FROM keepsake_records
      WHERE namespace = ? AND created ${sign} ? AND json IS NOT NULL AND ${LIVE} ORDER BY created ${direction} LIMIT ?`;
    return this.#database.read((connection) => {
      const row = findNamespace(connection, this.#namespace);
      if (row === undefined) return [];
      const rows = connection.all<RecordRow>(sql, row.namespace, after ?? first, Date.now(), limit);
      return rows.map((row) => readRow(row, undefined));
    });
  }

  async clear(): Promise<number> {
    const count = await this.#database.write((connection) =>
      clearNamespace(connection, formatNamespace(this.#namespace)),
    );
    await afterDeletion(eraseCleared(this.#database));
    return count;
  }

  async compact(): Promise<void> {
    const [database, namespace] = [this.#database, this.#namespace];
    while (await database.write((connection) => removeExpired(connection, namespace, STEP))) {}
    await forgetDeleted(database);
    await eraseDeleted(database);
  }

  readIndex(variant: string): Promise<SavedIndex | undefined> {
    return readIndex(this.#database, this.#namespace, variant);
  }

  writeIndex(variant: string, knownChange: number): Promise<IndexWriter | undefined> {
    return writeIndex(this.#database, this.#namespace, variant, knownChange);
  }
}
