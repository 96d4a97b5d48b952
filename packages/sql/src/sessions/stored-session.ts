import type { AskedHistory, DecideEdit, DecideItems, HistoryEdit, SessionBackend } from '@keepsake/core/adapter';
import { type Database, openDatabase } from '../database/database.ts';
import type { Driver } from '../database/driver.ts';
import type { Written } from '../database/statement.ts';
import { Appends } from './appends.ts';
import { addItems, changeSession, type SessionChange, type SessionState, type StoredItem } from './session-changes.ts';
import type { SessionOptions } from './session-options.ts';
import {
  popNewest,
  remove,
  selectAll,
  selectContaining,
  selectNewest,
  selectNumbered,
  selectSnapshot,
  touch,
} from './session-statements.ts';

/** A session as one statement has read it. */
interface Snapshot {
  /** `undefined` if the session does not exist. */
  readonly state?: SessionState;
  /** The newest items, at most as many as requested, oldest first. */
  readonly items: readonly StoredItem[];
  /** The digest of the requested operation, if the session remembers it. */
  readonly digest?: string;
}

interface SnapshotRow {
  readonly key: number | bigint;
  readonly version: number | bigint;
  readonly last_seq: number | bigint;
  readonly digest: string | null;
  readonly seq: number | bigint | null;
  readonly item: string | null;
}

interface ItemRow {
  readonly item: string;
}

/** The databases refuse `LIMIT` of a larger number. */
const MAX_LIMIT = Number.MAX_SAFE_INTEGER;

/** A session in the database. Items are JSON texts. */
export class StoredSession implements SessionBackend {
  readonly repair = 'repair the item in keepsake_items';
  readonly #driver: Driver;
  readonly #id: string;
  readonly #options: SessionOptions;
  readonly #appends = new Appends(async (items) => {
    await addItems(await this.#database(), this.#id, this.#options.ttlMs, items);
  });

  constructor(driver: Driver, sessionId: string, options: SessionOptions) {
    this.#driver = driver;
    this.#id = sessionId;
    this.#options = options;
  }

  async newest(limit: number): Promise<string[]> {
    // Sent together, so that reading takes no longer.
    const [items] = await Promise.all([this.#newest(limit), this.#options.refresh === 'access' && this.#touch()]);
    return items;
  }

  async numbered(limit: number) {
    const database = await this.#database();
    const statement = selectNumbered(database.dialect, this.#id, Math.min(limit, MAX_LIMIT));
    const rows = await database.readRows<SnapshotRow>(statement);
    return rows
      .reverse()
      .map(itemOf)
      .map(({ seq, text }) => ({ number: seq, text }));
  }

  onDamage(seq: number): void {
    this.#options.onCorrupt({ sessionId: this.#id, seq });
  }

  /** Appends items, possibly in one statement with those of other calls. */
  append(items: readonly string[]): Promise<void> {
    return this.#appends.add(items);
  }

  /** Only in PostgreSQL: SQLite has no statement for this. */
  async pop(): Promise<string | null | undefined> {
    const database = await this.#database();
    if (database.dialect === 'sqlite') return undefined;
    const statement = popNewest(this.#id, this.#options.ttlMs ?? null);
    const [row] = await database.writeRows<{ popped: string | null; is_sound: boolean | null }>(statement);
    return row?.is_sound === false ? undefined : (row?.popped ?? null);
  }

  async change({ items: count, operation, expected }: AskedHistory, decide: DecideEdit): Promise<void> {
    // Needs to read nothing before: a clear or an append.
    const blind = count === 0 && expected && decide(expected);
    if (blind && (await this.#apply(blind, operation))) return;
    for (;;) {
      const snapshot = await this.#snapshot(count, operation?.operationId);
      const items = snapshot.items.map(({ text }) => text);
      const edit = decide({ exists: snapshot.state !== undefined, items, digest: snapshot.digest });
      if (edit === undefined || (await this.#apply(edit, operation, snapshot))) return;
      // Another caller was faster. One caller always succeeds, so this ends.
    }
  }

  async edit(texts: readonly string[], decide: DecideItems): Promise<void> {
    for (;;) {
      const { state, items } = await this.#containing(texts);
      const after = decide(items.map(({ text }) => text));
      const replaced = items.flatMap(({ seq, text: before }, index) => {
        const text = after[index];
        return text === undefined || text === before ? [] : { seq, text };
      });
      const removed = items.filter((_, index) => after[index] === undefined).map(({ seq }) => seq);
      if (state === undefined || replaced.length + removed.length === 0) return;
      const change = { state, evenIfLonger: true, replaced, removed, growth: -removed.length };
      if (await this.#change(change)) return;
    }
  }

  /** Removes the session, and returns whether it existed. */
  async remove(): Promise<boolean> {
    const database = await this.#database();
    const [row] = await database.writeRows<{ live: number }>(remove(database.dialect, this.#id));
    return Number(row?.live) === 1;
  }

  /** Makes an edit if the session is still as it was read. Without `read`, it may be in any state. Returns whether it was. */
  async #apply(
    { drop, append, forgetOperations }: HistoryEdit,
    operation: AskedHistory['operation'],
    read?: Snapshot,
  ): Promise<boolean> {
    if (forgetOperations) {
      await this.#change({ from: 0, forget: true, growth: 0 });
      return true;
    }
    const { state, items } = read ?? { items: [] };
    const dropped = items.slice(Math.max(0, items.length - drop));
    return this.#change({
      state,
      onlyNew: read && state === undefined,
      from: dropped[0]?.seq,
      added: append,
      growth: append.length - dropped.length,
      operation,
    });
  }

  async #newest(limit: number): Promise<string[]> {
    const database = await this.#database();
    if (limit === Infinity) {
      return (await database.readRows<ItemRow>(selectAll(database.dialect, this.#id))).map(({ item }) => item);
    }
    const { dialect, plansEachTime } = database;
    const rows = await database.readRows<ItemRow>(selectNewest(dialect, this.#id, limit, plansEachTime));
    return rows.reverse().map(({ item }) => item);
  }

  /** Restarts the time to live. */
  async #touch(): Promise<void> {
    const database = await this.#database();
    await database.countWritten(touch(database.dialect, this.#id, this.#options.ttlMs ?? null));
  }

  /** The session with its newest `count` items, and what it remembers of an operation. */
  async #snapshot(count: number, operationId: string | null = null): Promise<Snapshot> {
    const database = await this.#database();
    return readSnapshot(database, selectSnapshot(database.dialect, this.#id, Math.min(count, MAX_LIMIT), operationId));
  }

  /** The session with the items that contain any of the texts. Without such items, the snapshot has no state. */
  async #containing(texts: readonly string[]): Promise<Snapshot> {
    const database = await this.#database();
    return readSnapshot(database, selectContaining(database.dialect, this.#id, texts));
  }

  /** Returns false and changes nothing if the session is not in the state that `change` expects. */
  async #change(change: SessionChange): Promise<boolean> {
    return changeSession(await this.#database(), this.#id, { ttlMs: this.#options.ttlMs, ...change });
  }

  #database(): Promise<Database> {
    return openDatabase(this.#driver);
  }
}

/** Each row holds the session and an item, newest first. A session without items is one row. */
async function readSnapshot(database: Database, statement: Written): Promise<Snapshot> {
  const rows = await database.readRows<SnapshotRow>(statement);
  const [first] = rows;
  if (first === undefined) return { items: [] };
  const { key, version, last_seq, digest } = first;
  return {
    state: { key: Number(key), version: Number(version), lastSeq: Number(last_seq) },
    items: rows
      .filter(({ seq }) => seq !== null)
      .map(itemOf)
      .reverse(),
    ...(digest === null ? {} : { digest }),
  };
}

function itemOf({ seq, item }: Pick<SnapshotRow, 'seq' | 'item'>): StoredItem {
  return { seq: Number(seq), text: item ?? '' };
}
