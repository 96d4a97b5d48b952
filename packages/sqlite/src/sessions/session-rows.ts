import {
  type AskedHistory,
  type DecideEdit,
  type HistoryEdit,
  OPERATION_IDS,
  type SessionBackend,
} from '@keepsake/core/adapter';
import type { Steps } from '@keepsake/internal';
import type { Connection } from '../database/connection.ts';
import type { SessionSettings } from './session-options.ts';

/** A session that has not expired. The items of a session are numbered from 1, without gaps. */
interface SessionRow {
  readonly session: number;
  readonly item_count: number;
  readonly expires_ms: number | null;
  /** 1 if no other session has changed since, else 0. */
  readonly is_last: number;
}

/** The rows of one session. */
export class SessionRows implements SessionBackend {
  readonly repair = 'repair the item in keepsake_items, or restore a backup';
  readonly #id: string;
  readonly #settings: SessionSettings;

  constructor(id: string, settings: SessionSettings) {
    this.#id = id;
    this.#settings = settings;
  }

  async newest(limit: number): Promise<string[]> {
    const { database, ttlMs = null, refresh } = this.#settings;
    if (refresh === 'write') return database.read((connection) => newestItems(connection, this.#id, limit));
    return database.write((connection) => {
      const sql = 'UPDATE keepsake_sessions SET expires_ms = ? WHERE id = ? AND expires_ms > ?';
      connection.run(sql, Date.now() + Number(ttlMs), this.#id, Date.now());
      return newestItems(connection, this.#id, limit);
    });
  }

  async numbered(limit: number) {
    const { database } = this.#settings;
    const columns = 'i.place - (s.session << 32) AS number, item AS text';
    return database.read((connection) =>
      newestRows<{ number: number; text: string }>(columns, connection, this.#id, limit),
    );
  }

  onDamage(number: number): void {
    this.#settings.onCorrupt({ sessionId: this.#id, number });
  }

  async append(items: readonly string[]): Promise<void> {
    await this.#settings.database.writeLong((connection) => this.#append(connection, items), items.length > MANY_ITEMS);
  }

  async change(asked: AskedHistory, decide: DecideEdit): Promise<void> {
    await this.#settings.database.writeLong((connection) => this.#change(connection, asked, decide));
  }

  /** Removes the session. Returns whether it was there. */
  async remove(): Promise<boolean> {
    const id = this.#id;
    return this.#settings.database.writeLong(function* (connection) {
      const row = yield* liveSession(connection, id);
      if (row !== undefined) yield* removeSession(connection, row.session);
      return row !== undefined;
    });
  }

  *#append(connection: Connection, items: readonly string[]): Steps<void> {
    const row = yield* liveSession(connection, this.#id);
    yield* this.#edit(connection, row, { drop: 0, append: items }, undefined);
  }

  *#change(connection: Connection, asked: AskedHistory, decide: DecideEdit): Steps<void> {
    const { items, onlyDamaged, operation } = asked;
    const row = yield* liveSession(connection, this.#id);
    const digest = 'SELECT digest FROM keepsake_operations WHERE session = ? AND id = ?';
    const edit = decide({
      exists: row !== undefined,
      items: row === undefined || items === 0 ? [] : newestItems(connection, this.#id, items, onlyDamaged),
      digest:
        row && operation && connection.first<{ digest: string }>(digest, row.session, operation.operationId)?.digest,
    });
    if (edit !== undefined) yield* this.#edit(connection, row, edit, operation);
  }

  *#edit(
    connection: Connection,
    row: SessionRow | undefined,
    { drop, append, forgetOperations = false }: HistoryEdit,
    operation: AskedHistory['operation'],
  ): Steps<void> {
    const count = row?.item_count ?? 0;
    const kept = Math.max(0, count - drop);
    const session = this.#put(connection, row, kept + append.length);
    if (kept < count) yield* dropItems(connection, session, kept);
    for (const [index, item] of append.entries()) {
      if (index % ADDED_AT_ONCE === ADDED_AT_ONCE - 1) yield;
      connection.run('INSERT INTO keepsake_items VALUES ((? << 32) + ?, ?)', session, kept + index + 1, item);
    }
    if (forgetOperations) yield* dropOperations(connection, session);
    if (operation !== undefined) remember(connection, session, operation, kept + append.length);
  }

  /** Creates the session or marks it as changed, and returns its number. */
  #put(connection: Connection, row: SessionRow | undefined, itemCount: number): number {
    const now = Date.now();
    const { ttlMs } = this.#settings;
    const expiry = ttlMs === undefined ? (row?.expires_ms ?? null) : now + ttlMs;
    if (row === undefined) {
      const sql = `INSERT INTO keepsake_sessions (id, created_ms, updated_ms, activity, item_count, expires_ms)
        VALUES (?, ?, ?, coalesce((${LAST_ACTIVITY}), 0) + 1, ?, ?) RETURNING session`;
      const values = [this.#id, now, now, itemCount, expiry];
      const { session } = connection.first<{ session: number }>(sql, ...values) as { session: number };
      for (const segment of new Set(this.#id.split(':'))) {
        connection.run('INSERT INTO keepsake_session_segments VALUES (?, ?)', segment, session);
      }
      return session;
    }
    // Setting the activity changes an index, so a session that changes again and again keeps it.
    const activity = row.is_last === 1 ? '' : `, activity = (${LAST_ACTIVITY}) + 1`;
    const sql = `UPDATE keepsake_sessions SET updated_ms = ?, item_count = ?, expires_ms = ?${activity} WHERE session = ?`;
    connection.run(sql, now, itemCount, expiry, row.session);
    return row.session;
  }
}

/** Appending more items takes longer than a step. */
const MANY_ITEMS = 1_000;
/** How many items one step appends. */
const ADDED_AT_ONCE = 50;
/** How many operation ids one change forgets, at most. */
const FORGOTTEN_AT_ONCE = 8;

const LAST_ACTIVITY = 'SELECT max(activity) FROM keepsake_sessions';

/** The newest items of a session, oldest first, or only the damaged ones of them; none if it has expired. */
function newestItems(connection: Connection, id: string, limit: number, onlyDamaged = false): string[] {
  return newestRows<{ item: string }>('item', connection, id, limit, onlyDamaged).map(({ item }) => item);
}

function newestRows<Row>(
  columns: string,
  connection: Connection,
  id: string,
  limit: number,
  onlyDamaged = false,
): Row[] {
  // Of invalid JSON, SQLite would refuse to read the type.
  const damaged = "AND CASE WHEN json_valid(item) THEN json_type(item) <> 'object' ELSE 1 END";
  const sql = `SELECT ${columns} FROM keepsake_sessions s
    CROSS JOIN keepsake_items i ON i.place BETWEEN s.session << 32 AND (s.session << 32) + s.item_count
    WHERE s.id = ? AND (s.expires_ms IS NULL OR s.expires_ms > ?) ${onlyDamaged ? damaged : ''} ORDER BY i.place DESC LIMIT ?`;
  return connection.all<Row>(sql, id, Date.now(), limit === Infinity ? -1 : limit).reverse();
}

/** Reads a session in a transaction that may change it. Removes it if it has expired. */
function* liveSession(connection: Connection, id: string): Steps<SessionRow | undefined> {
  const sql = `SELECT session, item_count, expires_ms, activity = (${LAST_ACTIVITY}) AS is_last
    FROM keepsake_sessions WHERE id = ?`;
  const row = connection.first<SessionRow>(sql, id);
  if (row === undefined || row.expires_ms === null || row.expires_ms > Date.now()) return row;
  yield* removeSession(connection, row.session);
  return undefined;
}

/** How many expired sessions one transaction removes. */
const EXPIRED_AT_ONCE = 250;

/** Removes the next sessions that have expired. Returns whether there can be more. */
export function* removeExpiredSessions(connection: Connection): Steps<boolean> {
  const sql = 'SELECT session FROM keepsake_sessions WHERE expires_ms <= ? LIMIT ?';
  const expired = connection.all<{ session: number }>(sql, Date.now(), EXPIRED_AT_ONCE);
  for (const { session } of expired) {
    yield* removeSession(connection, session);
    yield;
  }
  return expired.length === EXPIRED_AT_ONCE;
}

function* removeSession(connection: Connection, session: number): Steps<void> {
  yield* dropItems(connection, session, 0);
  yield* dropOperations(connection, session);
  const { id = '' } =
    connection.first<{ id: string }>('DELETE FROM keepsake_sessions WHERE session = ? RETURNING id', session) ?? {};
  for (const segment of new Set(id.split(':'))) {
    connection.run('DELETE FROM keepsake_session_segments WHERE segment = ? AND session = ?', segment, session);
  }
}

/** How many rows one step removes. */
const REMOVED_AT_ONCE = 250;

/** Removes all but the first items of a session. */
function* dropItems(connection: Connection, session: number, kept: number): Steps<void> {
  const some = `SELECT place FROM keepsake_items WHERE place > (? << 32) + ? AND place < (? + 1) << 32
    LIMIT ${REMOVED_AT_ONCE}`;
  const sql = `DELETE FROM keepsake_items WHERE place IN (${some})`;
  while (connection.run(sql, session, kept, session) === REMOVED_AT_ONCE) yield;
}

function* dropOperations(connection: Connection, session: number): Steps<void> {
  const some = `SELECT id FROM keepsake_operations WHERE session = ? LIMIT ${REMOVED_AT_ONCE}`;
  const sql = `DELETE FROM keepsake_operations WHERE session = ? AND id IN (${some})`;
  while (connection.run(sql, session, session) === REMOVED_AT_ONCE) yield;
}

function remember(
  connection: Connection,
  session: number,
  { operationId, digest }: NonNullable<AskedHistory['operation']>,
  itemCount: number,
): void {
  const now = Date.now();
  const latest = 'SELECT max(number) AS number FROM keepsake_operations WHERE session = ?';
  const number = (connection.first<{ number: number | null }>(latest, session)?.number ?? 0) + 1;
  const insert = 'INSERT INTO keepsake_operations (session, id, number, digest, applied_ms) VALUES (?, ?, ?, ?, ?)';
  connection.run(insert, session, operationId, number, digest, now);
  const kept = Math.max(OPERATION_IDS.keepCount, itemCount);
  forgetOperations(connection, session, { upTo: number - kept, before: now - OPERATION_IDS.keepMs });
}

/** Forgets a few of the oldest operations up to a number and before a time. */
function forgetOperations(
  connection: Connection,
  session: number,
  { upTo, before }: { readonly upTo: number; readonly before: number },
): void {
  const sql = `SELECT id, applied_ms FROM keepsake_operations WHERE session = ? AND number <= ? ORDER BY number LIMIT ?`;
  const oldest = connection.all<{ id: string; applied_ms: number }>(sql, session, upTo, FORGOTTEN_AT_ONCE);
  // One by one: given all conditions at once, SQLite reads all operations of the session.
  for (const { id, applied_ms } of oldest) {
    if (applied_ms >= before) return;
    connection.run('DELETE FROM keepsake_operations WHERE session = ? AND id = ?', session, id);
  }
}
