import { createHash } from 'node:crypto';
import { formatNamespace, type SessionInfo } from '@keepsake/core';
import { prefixEnd } from '@keepsake/internal';
import { isoTime, liveIn, nowOf } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
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
  readonly segment: string | undefined;
  readonly count: number;
}

/** Lists sessions, newest activity first. */
export async function listSessions(
  database: Database,
  { before, idPrefix, segment, count }: Listing,
): Promise<Listed[]> {
  const { dialect } = database;
  const values = new Values(dialect);
  const source = segment === undefined ? 'keepsake_sessions' : withSegment(dialect, segment, values);
  // With a prefix or a segment, the sum keeps the database from reading the sessions of everybody in the order of their activity.
  const activity = idPrefix === undefined && segment === undefined ? 'activity' : 'activity + 0';
  const begins = idPrefix === undefined ? '' : `AND ${beginsWith('id', idPrefix, values)}`;
  const sql = `SELECT id, item_count, activity, created_ms, updated_ms FROM ${source}
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

/** The rows of the sessions whose ids have a segment, by the index of segments. */
function withSegment(dialect: Dialect, segment: string, values: Values): string {
  const text = formatNamespace([segment]);
  // As in `withSegment` of namespaces. PostgreSQL finds sessions by their ids, which can be too long for an index beside a segment.
  const rows =
    dialect === 'postgresql'
      ? `SELECT s.* FROM (
          SELECT session FROM keepsake_session_segments WHERE segment = ${values.text(digestOf(text))} OFFSET 0
        ) AS found CROSS JOIN LATERAL (SELECT * FROM keepsake_sessions AS k WHERE k.id = found.session OFFSET 0) AS s`
      : `SELECT s.* FROM keepsake_session_segments AS found CROSS JOIN keepsake_sessions AS s ON s.key = found.session
          WHERE found.segment = ${values.text(text)}`;
  return `(${rows}) AS keepsake_sessions`;
}

/** As the trigger `keepsake_session_new` computes it. */
function digestOf(segment: string): string {
  return createHash('sha256').update(segment).digest('hex').slice(0, 32);
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

/**
 * A condition for storable texts that begin with a literal prefix. It is a range, which an index can serve, and not a pattern.
 * The column must sort by code point.
 */
function beginsWith(column: string, prefix: string, values: Values): string {
  const from = `${column} >= ${values.text(prefix)}`;
  const end = prefixEnd(prefix);
  return end === undefined ? from : `${from} AND ${column} < ${values.text(end)}`;
}
