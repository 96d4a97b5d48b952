import { nowOf } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { failureOf } from '../database/failure.ts';
import { Values, type Written } from '../database/statement.ts';

/*
 * A change of a session is a call of a function in PostgreSQL, and in SQLite an insert into a view with a trigger. Both come
 * with the migrations. So a change is one atomic statement, and needs no transaction that would hold a connection.
 */

/** A change of a session. Items are identified by their numbers. */
export interface SessionChange {
  /** How long the session lives from now on; `undefined` keeps its time. */
  readonly ttlMs?: number | undefined;
  /** The state the session must be in. Without it, any state will do, and a missing session is created. */
  readonly state?: SessionState | undefined;
  /** Whether items may have been appended since `state` was read. */
  readonly evenIfLonger?: boolean;
  /** Removes the items from this number on. */
  readonly from?: number | undefined;
  /** Removes these items. */
  readonly removed?: readonly number[];
  /** Replaces the texts of these items. */
  readonly replaced?: readonly StoredItem[];
  /** Appends these items. */
  readonly added?: readonly string[];
  /** By how much the number of items changes. */
  readonly growth: number;
  /** Makes the change only if the session does not know this operation, and remembers it. */
  readonly operation?: Operation | undefined;
  /** Forgets all operations, and does not create a missing session. */
  readonly forget?: boolean;
  /** Whether the session must not exist yet. */
  readonly onlyNew?: boolean | undefined;
}

/** Tells whether a session has changed since it was read. */
export interface SessionState {
  readonly key: number;
  /** Grows with every change except an append. */
  readonly version: number;
  /** The number of the item that was appended last. */
  readonly lastSeq: number;
}

/** An item as it is stored. */
export interface StoredItem {
  readonly seq: number;
  /** JSON. */
  readonly text: string;
}

/** An operation id, and a digest of its transaction. */
interface Operation {
  readonly operationId: string;
  readonly digest: string;
}

/** Appends items. Creates a missing session. */
export async function addItems(
  database: Database,
  sessionId: string,
  ttlMs: number | undefined,
  items: readonly string[],
): Promise<void> {
  const { dialect } = database;
  const values = new Values(dialect);
  const [id, ttl] = [values.text(sessionId), values.whole(ttlMs ?? null)];
  // JSON texts have no line breaks, so that PostgreSQL can split them at those.
  const sql =
    dialect === 'postgresql'
      ? `SELECT keepsake_append_items(${id}, ${ttl}, ${values.text(items.join('\n'))})`
      : `INSERT INTO keepsake_session_appends (id, ttl_ms, now_ms, added, added_count)
        VALUES (${id}, ${ttl}, ${nowOf(dialect)}, ${values.text(JSON.stringify(items))}, ${values.whole(items.length)})`;
  await database.countWritten({ sql, values, isFixed: true });
}

/** Returns false and changes nothing if the session is not in the state that `change` expects. */
export async function changeSession(database: Database, sessionId: string, change: SessionChange): Promise<boolean> {
  const statement = changeStatement(database.dialect, sessionId, change);
  if (database.dialect === 'postgresql') {
    const [row] = await database.writeRows<{ changed: boolean }>(statement);
    return row?.changed === true;
  }
  try {
    await database.countWritten(statement);
    return true;
  } catch (error) {
    // The trigger raises this.
    if (failureOf((error as { cause?: unknown }).cause).message.includes('keepsake: changed')) return false;
    throw error;
  }
}

function changeStatement(dialect: Dialect, id: string, change: SessionChange): Written {
  const { ttlMs, state, evenIfLonger, from, removed, replaced, added = [], growth, operation } = change;
  const values = new Values(dialect);
  const { texts, numbers, flag } = listsIn(dialect, values);
  const fields = [
    ...[values.text(id), values.whole(ttlMs ?? null), texts(added)],
    ...[values.whole(state?.key ?? null), values.whole(state?.version ?? null)],
    ...[values.whole(evenIfLonger ? null : (state?.lastSeq ?? null)), values.whole(from ?? null), numbers(removed)],
    ...[numbers(replaced?.map(({ seq }) => seq)), texts(replaced?.map(({ text }) => text)), values.whole(growth)],
    ...[values.text(operation?.operationId ?? null), values.text(operation?.digest ?? null)],
    ...[flag(change.forget), flag(change.onlyNew)],
  ];
  const sql =
    dialect === 'postgresql'
      ? `SELECT keepsake_change_session(${fields.join(', ')}) AS changed`
      : `INSERT INTO keepsake_session_changes (
          id, ttl_ms, added, key, version, last_seq, cut_from, removed, replaced, replacements, growth,
          operation_id, digest, forget, only_new, now_ms, added_count)
        VALUES (${fields.join(', ')}, ${nowOf(dialect)}, ${values.whole(added.length)})`;
  return { sql, values, isFixed: true };
}

/** How values are passed that SQLite has no types for: lists as JSON. */
function listsIn(dialect: Dialect, values: Values) {
  const isPostgres = dialect === 'postgresql';
  const texts = (list: readonly string[] | undefined) =>
    isPostgres ? values.texts(list ?? null) : values.text(list === undefined ? null : JSON.stringify(list));
  const numbers = (list: readonly number[] | undefined) =>
    isPostgres ? `CAST(${texts(list?.map(String))} AS bigint[])` : texts(list?.map(String));
  const flag = (is: boolean | undefined) =>
    isPostgres ? `(${values.whole(is ? 1 : 0)} <> 0)` : values.whole(is ? 1 : 0);
  return { texts, numbers, flag };
}
