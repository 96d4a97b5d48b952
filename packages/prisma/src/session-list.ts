import type { SessionInfo } from '@keepsake/core';
import { type Database, type Dialect, NOW_MS, reading, type Statement, writing } from './database.ts';

/** A session, and its place in the list of all. */
export interface Listed {
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

/** How many sessions a sweep removes in one statement. Each may have many items. */
const SWEEP = 50;

const list = (dialect: Dialect) =>
  reading(
    dialect,
    `SELECT id, item_count, activity, created_ms, updated_ms FROM keepsake_sessions
    WHERE activity < $1 AND (expires_ms IS NULL OR expires_ms > ${NOW_MS[dialect]})
    ORDER BY activity DESC LIMIT $2`,
  );

const expired = (dialect: Dialect) =>
  `SELECT id FROM keepsake_sessions WHERE expires_ms <= ${NOW_MS[dialect]} ORDER BY expires_ms LIMIT ${SWEEP}`;

const LIST: Readonly<Record<Dialect, Statement>> = { postgresql: list('postgresql'), sqlite: list('sqlite') };

const SWEEP_SOME: Readonly<Record<Dialect, Statement>> = {
  // What others are about to change or sweep is left to them.
  postgresql: writing(
    'postgresql',
    `DELETE FROM keepsake_sessions WHERE id = ANY (ARRAY (${expired('postgresql')} FOR UPDATE SKIP LOCKED))`,
  ),
  sqlite: writing('sqlite', `DELETE FROM keepsake_sessions WHERE id IN (${expired('sqlite')})`),
};

/** The sessions that come after a place in the list, newest activity first, so many of them. */
export async function listSessions(database: Database, before: number, count: number): Promise<Listed[]> {
  const rows = await database.query<Row>(LIST[database.dialect], [before, count]);
  return rows.map(({ id, item_count, activity, created_ms, updated_ms }) => ({
    activity: Number(activity),
    info: {
      sessionId: id,
      itemCount: Number(item_count),
      createdAt: new Date(Number(created_ms)).toISOString(),
      updatedAt: new Date(Number(updated_ms)).toISOString(),
    },
  }));
}

/** Removes all sessions that have expired, and returns how many there were. */
export async function sweepSessions(database: Database): Promise<number> {
  for (let gone = 0; ; ) {
    const count = await database.execute(SWEEP_SOME[database.dialect], []);
    if (count === 0) return gone;
    gone += count;
  }
}
