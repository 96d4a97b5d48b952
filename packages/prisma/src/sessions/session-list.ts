import type { SessionInfo } from '@keepsake/core';
import { beginsWith } from '../database/begins-with.ts';
import { isoTime, liveIn, nowOf } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { Values } from '../database/statement.ts';

/** A session in the list of all. */
export interface Listed {
  /** Sessions are listed by this number, because clocks tie and can go back. */
  readonly activity: number;
  readonly info: SessionInfo;
}

interface Row {
  readonly id: string;
  readonly item_count: number | bigint;
  readonly activity: number | bigint;
  readonly created_ms: number | bigint;
  readonly updated_ms: number | bigint;
}

/** How many sessions one statement sweeps. Each may have many items. */
const SWEEP = 50;

/** Which sessions to list: at most `count` with an activity before `before`. */
export interface Listing {
  readonly before: number;
  readonly idPrefix: string | undefined;
  readonly count: number;
}

/** Lists sessions, newest activity first. */
export async function listSessions(database: Database, { before, idPrefix, count }: Listing): Promise<Listed[]> {
  const { dialect } = database;
  const values = new Values(dialect);
  // With a prefix, the sum keeps the database from reading the sessions of everybody in the order of their activity.
  const activity = idPrefix === undefined ? 'activity' : 'activity + 0';
  const begins = idPrefix === undefined ? '' : `AND ${beginsWith('id', idPrefix, values)}`;
  const sql = `SELECT id, item_count, activity, created_ms, updated_ms FROM keepsake_sessions
    WHERE ${activity} < ${values.whole(before)} AND ${liveIn(dialect)} ${begins}
    ORDER BY ${activity} DESC LIMIT ${values.whole(count)}`;
  const rows = await database.readRows<Row>({ sql, values, isFixed: true });
  return rows.map(({ id, item_count, activity, created_ms, updated_ms }) => ({
    activity: Number(activity),
    info: {
      sessionId: id,
      itemCount: Number(item_count),
      createdAt: isoTime(created_ms),
      updatedAt: isoTime(updated_ms),
    },
  }));
}

/** Removes all expired sessions, and returns how many there were. */
export async function sweepSessions(database: Database): Promise<number> {
  const { dialect } = database;
  const expired = `SELECT id FROM keepsake_sessions WHERE expires_ms <= ${nowOf(dialect)} ORDER BY expires_ms LIMIT ${SWEEP}`;
  const sql =
    dialect === 'postgresql'
      ? // Skips sessions that other callers are changing or sweeping.
        `DELETE FROM keepsake_sessions WHERE id = ANY (ARRAY (${expired} FOR UPDATE SKIP LOCKED))`
      : `DELETE FROM keepsake_sessions WHERE id IN (${expired})`;
  for (let swept = 0; ; ) {
    const count = await database.countWritten({ sql, values: new Values(dialect), isFixed: true });
    if (count === 0) return swept;
    swept += count;
  }
}
