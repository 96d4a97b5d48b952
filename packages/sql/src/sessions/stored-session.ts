import { type Database, openDatabase } from '../database/database.ts';
import type { Driver } from '../database/driver.ts';
import type { Written } from '../database/statement.ts';
import { Appends } from './appends.ts';
import { addItems, changeSession, type SessionChange, type SessionState, type StoredItem } from './session-changes.ts';
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
export interface Snapshot {
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

/** A session in the database. Items are JSON texts. Each method is one statement. */
export class StoredSession {
  readonly #driver: Driver;
  readonly #id: string;
  readonly #ttlMs: number | undefined;
  readonly #appends = new Appends(async (items) => {
    await addItems(await this.#database(), this.#id, this.#ttlMs, items);
  });

  constructor(driver: Driver, sessionId: string, ttlMs?: number) {
    this.#driver = driver;
    this.#id = sessionId;
    this.#ttlMs = ttlMs;
  }

  /** The texts of the newest `count` items, oldest first. */
  async newest(count: number): Promise<string[]> {
    const database = await this.#database();
    if (count === Infinity) {
      return (await database.readRows<ItemRow>(selectAll(database.dialect, this.#id))).map(({ item }) => item);
    }
    const { dialect, plansEachTime } = database;
    const statement = selectNewest(dialect, this.#id, Math.min(count, MAX_LIMIT), plansEachTime);
    const rows = await database.readRows<ItemRow>(statement);
    return rows.reverse().map(({ item }) => item);
  }

  /** The newest `count` items with their numbers, oldest first. */
  async numbered(count: number): Promise<StoredItem[]> {
    const database = await this.#database();
    const statement = selectNumbered(database.dialect, this.#id, Math.min(count, MAX_LIMIT));
    const rows = await database.readRows<SnapshotRow>(statement);
    return rows.reverse().map(itemOf);
  }

  /** The session with its newest `count` items, and what it remembers of an operation. */
  async snapshot(count: number, operationId: string | null = null): Promise<Snapshot> {
    const database = await this.#database();
    return readSnapshot(database, selectSnapshot(database.dialect, this.#id, Math.min(count, MAX_LIMIT), operationId));
  }

  /** The session with the items that contain any of the texts. Without such items, the snapshot has no state. */
  async containing(texts: readonly string[]): Promise<Snapshot> {
    const database = await this.#database();
    return readSnapshot(database, selectContaining(database.dialect, this.#id, texts));
  }

  /** Restarts the time to live. */
  async touch(): Promise<void> {
    const database = await this.#database();
    await database.countWritten(touch(database.dialect, this.#id, this.#ttlMs ?? null));
  }

  /** Appends items, possibly in one statement with those of other calls. */
  append(items: readonly string[]): Promise<void> {
    return this.#appends.add(items);
  }

  /**
   * Removes the newest item and returns its text, or `null` if there is none. Returns `undefined` and changes nothing if the
   * caller must read the item first: in SQLite, which has no statement for this, and if the item is damaged.
   */
  async pop(): Promise<string | null | undefined> {
    const database = await this.#database();
    if (database.dialect === 'sqlite') return undefined;
    const statement = popNewest(this.#id, this.#ttlMs ?? null);
    const [row] = await database.writeRows<{ popped: string | null; is_sound: boolean | null }>(statement);
    return row?.is_sound === false ? undefined : (row?.popped ?? null);
  }

  /** Returns false and changes nothing if the session is not in the state that `change` expects. */
  async change(change: SessionChange): Promise<boolean> {
    return changeSession(await this.#database(), this.#id, { ttlMs: this.#ttlMs, ...change });
  }

  /** Removes all items and operation ids of an existing session. */
  async clear(): Promise<void> {
    await this.change({ from: 0, forget: true, growth: 0 });
  }

  /** Removes the session, and returns whether it existed. */
  async remove(): Promise<boolean> {
    const database = await this.#database();
    const [row] = await database.writeRows<{ live: number }>(remove(database.dialect, this.#id));
    return Number(row?.live) === 1;
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
