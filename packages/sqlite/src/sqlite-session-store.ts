import {
  type AnyItem,
  type DurableSession,
  formatNamespace,
  type Page,
  type SessionInfo,
  type SessionListOptions,
  type SessionStore,
} from '@keepsake/core';
import { checkId, checkSessionList, expectKnownFields } from '@keepsake/core/adapter';
import { prefixEnd } from '@keepsake/internal';
import type { Connection } from './database/connection.ts';
import { cursorSeal } from './database/cursor-seal.ts';
import { afterDeletion, emptyLog, eraseDeleted } from './database/erase-deleted.ts';
import { readTime } from './database/stored-values.ts';
import { backUp } from './file/back-up.ts';
import { forgetDeleted } from './records/index-rows.ts';
import {
  checkSessionOptions,
  SESSION_STORE_OPTIONS,
  type SessionSettings,
  type SqliteSessionStoreOptions,
} from './sessions/session-options.ts';
import { removeExpiredSessions, SessionRows } from './sessions/session-rows.ts';
import { SqliteSession } from './sqlite-session.ts';

interface ListedRow {
  readonly id: string;
  readonly item_count: number;
  readonly created_ms: number;
  readonly updated_ms: number;
  readonly activity: number;
}

/**
 * The sessions in an SQLite file.
 *
 * @example
 * const sessions = new SqliteSessionStore({ file: 'memory.db' });
 * const { items } = await sessions.list(); // newest activity first
 */
export class SqliteSessionStore implements SessionStore {
  readonly #options: SqliteSessionStoreOptions;
  readonly #settings: SessionSettings;

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid options. Opens nothing. */
  constructor(options: SqliteSessionStoreOptions) {
    this.#options = expectKnownFields(options, SESSION_STORE_OPTIONS);
    this.#settings = checkSessionOptions(this.#options);
  }

  open<Item extends object = AnyItem>(sessionId?: string): DurableSession<Item> {
    return new SqliteSession<Item>({ ...this.#options, sessionId });
  }

  async list(options: SessionListOptions = {}): Promise<Page<SessionInfo>> {
    const { limit, cursor, idPrefix, segment } = checkSessionList(options);
    const { database } = this.#settings;
    const seal = await cursorSeal(database);
    const before = (await seal.read(cursor, 'sessions', [])) ?? Number.MAX_SAFE_INTEGER;
    // One more than a page tells whether there is a next page.
    const rows = await database.read((connection) =>
      listed(connection, { before, idPrefix, segment, count: limit + 1 }),
    );
    const items = rows.slice(0, limit).map(toInfo);
    const last = rows[limit - 1];
    if (rows.length <= limit || last === undefined) return { items };
    return { items, cursor: await seal.write('sessions', [], last.activity) };
  }

  /**
   * Removes a session and empties the write-ahead log, as `clear()` of a store does.
   *
   * @throws MemoryError `TIMEOUT` if other connections keep the log in use for 5 seconds. Then the session is removed.
   */
  async delete(sessionId: string): Promise<boolean> {
    checkId(sessionId, 'sessionId');
    const isRemoved = await new SessionRows(sessionId, this.#settings).remove();
    if (isRemoved) await afterDeletion(emptyLog(this.#settings.database));
    return isRemoved;
  }

  /**
   * Removes expired sessions, and every text that was deleted or replaced from the bytes of the files. Rewrites the whole
   * file, with everything that stores have in it, on a thread of its own. Changes wait meanwhile: about 5 seconds per GB.
   * Only empties the write-ahead log of a `database` of yours; call its `VACUUM` for the rest.
   *
   * @throws MemoryError `TIMEOUT` if they read for more than 5 seconds.
   */
  async compact(): Promise<void> {
    const { database } = this.#settings;
    while (await database.writeLong(removeExpiredSessions));
    await forgetDeleted(database);
    await eraseDeleted(database);
  }

  /**
   * Copies the whole database, as it is at this time, to a new file. Other processes can go on reading and writing.
   *
   * @throws MemoryError `CONFLICT` if the file exists.
   */
  async backup(file: string): Promise<void> {
    await backUp(this.#settings.database, file);
  }
}

interface Listing extends Pick<SessionListOptions, 'idPrefix' | 'segment'> {
  readonly before: number;
  readonly count: number;
}

function listed(connection: Connection, { before, idPrefix, segment, count }: Listing): ListedRow[] {
  const end = idPrefix === undefined ? undefined : prefixEnd(idPrefix);
  const begins = [...(idPrefix === undefined ? [] : ['AND id >= ?']), ...(end === undefined ? [] : ['AND id < ?'])];
  // The cross join makes SQLite begin with the segments.
  const [source, wanted] =
    segment === undefined
      ? ['keepsake_sessions WHERE', []]
      : [
          'keepsake_session_segments CROSS JOIN keepsake_sessions USING (session) WHERE segment = ? AND',
          [formatNamespace([segment])],
        ];
  // With a prefix or a segment, the sum keeps SQLite from reading the sessions of everybody in the order of their activity.
  const activity = idPrefix === undefined && segment === undefined ? 'activity' : 'activity + 0';
  const sql = `SELECT id, item_count, created_ms, updated_ms, activity FROM ${source}
    ${activity} < ? AND (expires_ms IS NULL OR expires_ms > ?) ${begins.join(' ')} ORDER BY ${activity} DESC LIMIT ?`;
  const range = [idPrefix, end].filter((text) => text !== undefined);
  return connection.all<ListedRow>(sql, ...wanted, before, Date.now(), ...range, count);
}

function toInfo({ id, item_count, created_ms, updated_ms }: ListedRow): SessionInfo {
  return { sessionId: id, itemCount: item_count, createdAt: readTime(created_ms), updatedAt: readTime(updated_ms) };
}
