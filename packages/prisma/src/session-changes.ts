import { type Database, type Dialect, NOW_MS, type Statement, writing } from './database.ts';
import { failureOf } from './prisma-errors.ts';

/*
 * How sessions are changed: in PostgreSQL by functions, in SQLite by the triggers of views, which come with the
 * migrations. So each change is one statement, done whole or not at all, which no connection has to be held for; and what
 * PostgreSQL has planned once it does not plan again.
 */

/** A change of a session. Items go by their numbers. What is left out is as in one that only adds. */
export interface SessionChange {
  /** When the session is to expire; `undefined` for as before. */
  readonly ttlMs?: number | undefined;
  /** How it was read. Without, it may be as it will, and comes into being where it is not there. */
  readonly state?: SessionState | undefined;
  /** Whether it may have been added to since it was read. */
  readonly evenIfLonger?: boolean;
  /** The items from this one on are removed, */
  readonly from?: number | undefined;
  /** and these, */
  readonly removed?: readonly number[];
  /** these get a new text, */
  readonly replaced?: readonly StoredItem[];
  /** and these are added. */
  readonly added?: readonly string[];
  /** How many items are more, or fewer, then. */
  readonly growth: number;
  /** Is done unless the session knows it, and known from then on. */
  readonly operation?: Operation | undefined;
  /** Whether all operations are forgotten. Then nothing comes into being. */
  readonly forget?: boolean;
  /** Whether it has to come into being. */
  readonly onlyNew?: boolean | undefined;
}

/** What tells whether a session still is as it was read. */
export interface SessionState {
  readonly key: number;
  /** Rises with every change but an append. */
  readonly version: number;
  /** The number of the item that was added last. */
  readonly lastSeq: number;
}

/** An item as it is stored. */
export interface StoredItem {
  readonly seq: number;
  /** JSON. */
  readonly text: string;
}

/** An operation id, and what was done under it. */
export interface Operation {
  readonly operationId: string;
  readonly digest: string;
}

const APPEND: Readonly<Record<Dialect, Statement>> = {
  postgresql: writing('postgresql', 'SELECT keepsake_append_items($1, $2, $3)'),
  sqlite: writing(
    'sqlite',
    `INSERT INTO keepsake_session_appends (id, now_ms, ttl_ms, added, added_count) VALUES ($1, ${NOW_MS.sqlite}, $2, $3, $4)`,
  ),
};

const CHANGE: Readonly<Record<Dialect, Statement>> = {
  postgresql: writing(
    'postgresql',
    `SELECT keepsake_change_session($1, $2::bigint, $3::text[], $4::bigint, $5::bigint, $6::bigint, $7::bigint,
      $8::text[]::bigint[], $9::text[]::bigint[], $10::text[], $11::bigint, $12, $13, $14::int::boolean, $15::int::boolean) AS changed`,
  ),
  sqlite: writing(
    'sqlite',
    `INSERT INTO keepsake_session_changes (
      id, now_ms, ttl_ms, added, key, version, last_seq, cut_from, removed, replaced, replacements, growth,
      operation_id, digest, forget, only_new, added_count)
    VALUES ($1, ${NOW_MS.sqlite}, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
  ),
};

/** Makes a change, and says whether it did: not where the session is not as the change says. */
export function changeSession(database: Database, sessionId: string, change: SessionChange): Promise<boolean> {
  return database.dialect === 'sqlite'
    ? changeInSqlite(database, sessionId, change)
    : changeInPostgres(database, sessionId, change);
}

/** Adds items. The session comes into being with them. */
export async function addItems(
  database: Database,
  sessionId: string,
  ttlMs: number | undefined,
  items: readonly string[],
): Promise<void> {
  const { dialect } = database;
  const added = dialect === 'sqlite' ? [JSON.stringify(items), items.length] : [items.join('\n')];
  await database.execute(APPEND[dialect], [sessionId, ttlMs ?? null, ...added]);
}

async function changeInPostgres(database: Database, id: string, change: SessionChange): Promise<boolean> {
  const values = valuesOf(id, change, (list) => list);
  const [row] = await database.query<{ changed: boolean }>(CHANGE.postgresql, values);
  return row?.changed === true;
}

async function changeInSqlite(database: Database, id: string, change: SessionChange): Promise<boolean> {
  try {
    const values = valuesOf(id, change, (list) => JSON.stringify(list));
    await database.execute(CHANGE.sqlite, [...values, change.added?.length ?? 0]);
    return true;
  } catch (error) {
    if (failureOf((error as { cause?: unknown }).cause).message.includes('keepsake: changed')) return false;
    throw error;
  }
}

/** The values of a change, in the order of either statement. */
function valuesOf(id: string, change: SessionChange, list: (of: readonly string[]) => unknown): unknown[] {
  const { ttlMs, state, evenIfLonger, from, removed, replaced, added = [], growth, operation } = change;
  const listOf = (values: readonly (string | number)[] | undefined) =>
    values === undefined || values.length === 0 ? null : list(values.map(String));
  return [
    ...[id, ttlMs ?? null, list(added)],
    ...[state?.key ?? null, state?.version ?? null, evenIfLonger ? null : (state?.lastSeq ?? null)],
    ...[from ?? null, listOf(removed)],
    ...[listOf(replaced?.map(({ seq }) => seq)), listOf(replaced?.map(({ text }) => text)), growth],
    ...[operation?.operationId ?? null, operation?.digest ?? null],
    ...[change.forget ? 1 : 0, change.onlyNew ? 1 : 0],
  ];
}
