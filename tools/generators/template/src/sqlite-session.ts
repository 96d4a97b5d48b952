import {
  checkId,
  type DurableSession,
  encodeItems,
  expectSuffix,
  type HistoryChange,
  itemLimit,
  type JsonObject,
  LIMITS,
  prepareMutations,
  prepareTransaction,
  replaceFunctionCalls,
  type SessionHistoryMutation,
  type SessionHistoryTransaction,
  uuidv7,
  wasApplied,
} from '@keepsake/core';
import { Connection } from './connection.ts';
import type { SqliteClient } from './sqlite-client.ts';

/** How to open a {@link SqliteSession}. */
export interface SqliteSessionOptions {
  readonly client: SqliteClient;
  /** By default a fresh UUID version 7. */
  readonly sessionId?: string;
}

/** A session in SQLite. Every change is one transaction, so several processes can share it. */
export class SqliteSession<Item extends object = JsonObject> implements DurableSession<Item> {
  readonly #id: string;
  readonly #connection: Connection;

  /** @throws MemoryError `INVALID_ARGUMENT` for an id or a client that can't be used. Writes nothing. */
  constructor({ client, sessionId = uuidv7() }: SqliteSessionOptions) {
    checkId(sessionId, 'sessionId');
    this.#id = sessionId;
    this.#connection = new Connection(client);
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  async getItems(limit?: number): Promise<Item[]> {
    return this.#newest(itemLimit(limit)).map(({ item }) => JSON.parse(item) as Item);
  }

  async addItems(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    if (encoded.length > 0) this.#connection.transaction(() => this.#append(encoded));
  }

  async popItem(): Promise<Item | undefined> {
    return this.#connection.transaction(() => {
      const [newest] = this.#newest(1);
      if (newest === undefined) return undefined;
      this.#replaceFrom(newest.place, []);
      return JSON.parse(newest.item) as Item;
    });
  }

  async clearSession(): Promise<void> {
    this.#connection.transaction(() => {
      if (!this.#exists()) return;
      this.#connection.all('DELETE FROM keepsake_operations WHERE session = ?', this.#id);
      this.#replaceFrom(0, []);
    });
  }

  async applyHistoryTransaction(args: {
    operationId: string;
    transaction: SessionHistoryTransaction<Item>;
  }): Promise<void> {
    const change = await prepareTransaction(args);
    this.#connection.transaction(() => {
      if (wasApplied(change, this.#digestOf(change.operationId))) return;
      const suffix = this.#newest(change.expectedSuffix.length);
      expectSuffix(
        change,
        suffix.map(({ item }) => item),
      );
      if (suffix[0] === undefined) this.#append(change.items);
      else this.#replaceFrom(suffix[0].place, change.items);
      this.#remember(change);
    });
  }

  async applyHistoryMutations(args: { mutations: SessionHistoryMutation<Item>[] }): Promise<void> {
    const mutations = prepareMutations(args.mutations);
    this.#connection.transaction(() => {
      const rows = this.#newest(undefined);
      const after = replaceFunctionCalls(
        rows.map(({ item }) => item),
        mutations,
      );
      const first = rows.findIndex(({ item }, index) => item !== after[index]);
      const changed = rows[first];
      if (changed !== undefined) this.#replaceFrom(changed.place, after.slice(first));
    });
  }

  async replaceHistoryWithCompaction(items: Item[]): Promise<void> {
    const encoded = encodeItems(items);
    this.#connection.transaction(() => {
      if (encoded.length > 0 || this.#exists()) this.#replaceFrom(0, encoded);
    });
  }

  /** The newest items, oldest first; all of them where there is no limit. */
  #newest(limit: number | undefined): { place: number; item: string }[] {
    const newestFirst = 'SELECT place, item FROM keepsake_items WHERE session = ? ORDER BY place DESC LIMIT ?';
    return this.#connection.all(`SELECT * FROM (${newestFirst}) ORDER BY place`, this.#id, limit ?? -1);
  }

  /** Puts `items` in the place of the item there and all that are newer. */
  #replaceFrom(place: number, items: readonly string[]): void {
    this.#connection.all('DELETE FROM keepsake_items WHERE session = ? AND place >= ?', this.#id, place);
    this.#append(items);
  }

  #append(items: readonly string[]): void {
    for (const item of items) {
      this.#connection.all('INSERT INTO keepsake_items (session, item) VALUES (?, ?)', this.#id, item);
    }
    const now = new Date().toISOString();
    this.#connection.all(
      `INSERT INTO keepsake_sessions (id, created_at, updated_at, activity)
       VALUES (?, ?, ?, (SELECT coalesce(max(activity), 0) + 1 FROM keepsake_sessions))
       ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, activity = excluded.activity`,
      this.#id,
      now,
      now,
    );
  }

  #exists(): boolean {
    return this.#connection.all('SELECT 1 FROM keepsake_sessions WHERE id = ?', this.#id).length > 0;
  }

  #digestOf(operationId: string): string | undefined {
    const sql = 'SELECT digest FROM keepsake_operations WHERE session = ? AND id = ?';
    return this.#connection.all<{ digest: string }>(sql, this.#id, operationId)[0]?.digest;
  }

  #remember({ operationId, digest }: HistoryChange): void {
    this.#connection.all(
      'INSERT INTO keepsake_operations (session, id, digest) VALUES (?, ?, ?)',
      this.#id,
      operationId,
      digest,
    );
    this.#connection.all(
      `DELETE FROM keepsake_operations WHERE session = ? AND place <=
         (SELECT place FROM keepsake_operations WHERE session = ? ORDER BY place DESC LIMIT 1 OFFSET ?)`,
      this.#id,
      this.#id,
      LIMITS.operationIds,
    );
  }
}
