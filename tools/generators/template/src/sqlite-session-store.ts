import {
  type DurableSession,
  formatNamespace,
  type JsonObject,
  type Page,
  type SessionInfo,
  type SessionListOptions,
  type SessionStore,
} from '@keepsake/core';
import { checkId, checkSessionList, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { Connection } from './connection.ts';
import type { SqliteClient } from './sqlite-client.ts';
import { SqliteSession } from './sqlite-session.ts';

/** Options of a {@link SqliteSessionStore}. */
export interface SqliteSessionStoreOptions {
  readonly client: SqliteClient;
}

const OPTIONS: FieldNames<SqliteSessionStoreOptions> = { client: true };

/** All sessions of a database. */
export class SqliteSessionStore implements SessionStore {
  readonly #client: SqliteClient;
  readonly #connection: Connection;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Writes nothing. */
  constructor(options: SqliteSessionStoreOptions) {
    const { client } = expectKnownFields(options, OPTIONS);
    this.#client = client;
    this.#connection = new Connection(client);
  }

  open<Item extends object = JsonObject>(sessionId?: string): DurableSession<Item> {
    return new SqliteSession<Item>({ client: this.#client, ...(sessionId === undefined ? {} : { sessionId }) });
  }

  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const { limit, cursor, idPrefix = '', segment } = checkSessionList(options);
    const { cursors } = this.#connection;
    const before = (await cursors.read(cursor, 'sessions', [])) ?? Infinity;
    // One row more than requested shows whether there is a next page.
    const rows = this.#connection.all<SessionInfo & { activity: number }>(
      `SELECT id AS sessionId, created_at AS createdAt, updated_at AS updatedAt, activity,
         (SELECT count(*) FROM keepsake_items WHERE session = id) AS itemCount
       FROM keepsake_sessions WHERE activity < ? AND instr(id, ?) = 1 AND instr(':' || id || ':', ?) > 0
       ORDER BY activity DESC LIMIT ?`,
      before,
      idPrefix,
      // Every id has the empty text.
      segment === undefined ? '' : `:${formatNamespace([segment])}:`,
      limit + 1,
    );
    const page = rows.slice(0, limit);
    const items = page.map(({ activity, ...info }) => info);
    const last = page.at(-1);
    if (rows.length <= limit || last === undefined) return { items };
    return { items, cursor: await cursors.write('sessions', [], last.activity) };
  }

  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    return this.#connection.transaction(() => {
      this.#connection.all('DELETE FROM keepsake_items WHERE session = ?', sessionId);
      this.#connection.all('DELETE FROM keepsake_operations WHERE session = ?', sessionId);
      return this.#connection.all('DELETE FROM keepsake_sessions WHERE id = ? RETURNING id', sessionId).length > 0;
    });
  }
}
