import {
  type DurableSession,
  formatNamespace,
  type JsonObject,
  type Page,
  type SessionInfo,
  type SessionListOptions,
  type SessionStore,
} from '@keepsake/core';
import { checkId, checkSessionList, expectKnownFields } from '@keepsake/core/adapter';
import { type Connection, connect } from './connection.ts';
import { SqliteSession, type SqliteSessionOptions } from './sqlite-session.ts';

/** Options of a {@link SqliteSessionStore}. */
export type SqliteSessionStoreOptions = Pick<SqliteSessionOptions, 'client'>;

/** All sessions of a database. */
export class SqliteSessionStore implements SessionStore {
  readonly #connection: Connection;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Writes nothing. */
  constructor(options: SqliteSessionStoreOptions) {
    this.#connection = connect(expectKnownFields(options, { client: true }).client);
  }

  open<Item extends object = JsonObject>(sessionId?: string): DurableSession<Item> {
    return new SqliteSession<Item>({ client: this.#connection.client, sessionId });
  }

  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const { limit, cursor, idPrefix = '', segment } = checkSessionList(options);
    const seal = this.#connection.cursorSeal();
    const before = (await seal.read(cursor, 'sessions', [])) ?? Infinity;
    // One row more than requested shows whether there is a next page.
    const rows = this.#connection.all<SessionInfo & { activity: number }>(
      `SELECT id AS sessionId, created_at AS createdAt, updated_at AS updatedAt, activity,
         (SELECT count(*) FROM keepsake_items WHERE session = id) AS itemCount
       FROM keepsake_sessions WHERE activity < ? AND instr(id, ?) = 1 AND instr(':' || id || ':', ?) > 0
       ORDER BY activity DESC LIMIT ?`,
      // Every id has the empty text.
      ...[before, idPrefix, segment === undefined ? '' : `:${formatNamespace([segment])}:`, limit + 1],
    );
    const items = rows.slice(0, limit).map(({ activity, ...info }) => info);
    const last = rows[limit - 1];
    if (rows.length <= limit || last === undefined) return { items };
    return { items, cursor: await seal.write('sessions', [], last.activity) };
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
