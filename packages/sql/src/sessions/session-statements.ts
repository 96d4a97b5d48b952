import { liveIn, nowOf } from '../database/clock.ts';
import type { Dialect } from '../database/dialect.ts';
import { Values, type Written } from '../database/statement.ts';

/*
 * The statements of one session, except for its changes, which are in session-changes.ts. They begin with the session's id,
 * and their text never varies.
 */

interface Parts {
  /** The value of the session's id. */
  readonly id: string;
  /** A condition for sessions that have not expired. */
  readonly live: string;
  /** The key of the session, as a subquery: a join would keep planners from reading items as a range of their index. */
  readonly key: string;
  readonly values: Values;
}

function sessionStatement(dialect: Dialect, sessionId: string, write: (parts: Parts) => string): Written {
  const values = new Values(dialect);
  const id = values.text(sessionId);
  const live = liveIn(dialect);
  const key = `(SELECT key FROM keepsake_sessions WHERE id = ${id} AND ${live})`;
  return { sql: write({ id, live, key, values }), values, isFixed: true };
}

/** A subquery hides the number from PostgreSQL, which would make a new plan for each number. */
function limitTo(dialect: Dialect, count: number, values: Values): string {
  return dialect === 'postgresql' ? `LIMIT (SELECT ${values.whole(count)})` : `LIMIT ${values.whole(count)}`;
}

/**
 * The newest items, newest first. Selects one column only, because each costs Prisma as much time as the database.
 *
 * @param plansEachTime - Whether PostgreSQL plans each statement each time: a function keeps its plan.
 */
export function selectNewest(dialect: Dialect, sessionId: string, count: number, plansEachTime: boolean): Written {
  return sessionStatement(dialect, sessionId, ({ id, key, values }) =>
    plansEachTime
      ? `SELECT keepsake_newest_items(${id}, ${values.whole(count)}) AS item`
      : `SELECT item FROM keepsake_items WHERE session_key = ${key} ORDER BY seq DESC ${limitTo(dialect, count, values)}`,
  );
}

/** All items, oldest first. */
export function selectAll(dialect: Dialect, sessionId: string): Written {
  return sessionStatement(
    dialect,
    sessionId,
    ({ key }) => `SELECT item FROM keepsake_items WHERE session_key = ${key} ORDER BY seq`,
  );
}

/** The newest items with their numbers, newest first. */
export function selectNumbered(dialect: Dialect, sessionId: string, count: number): Written {
  return sessionStatement(
    dialect,
    sessionId,
    ({ key, values }) =>
      `SELECT seq, item FROM keepsake_items WHERE session_key = ${key} ORDER BY seq DESC ${limitTo(dialect, count, values)}`,
  );
}

/** The session with its newest items, newest first, and the digest of an operation. */
export function selectSnapshot(
  dialect: Dialect,
  sessionId: string,
  count: number,
  operationId: string | null,
): Written {
  return sessionStatement(
    dialect,
    sessionId,
    ({ id, live, key, values }) =>
      `SELECT s.key, s.version, s.last_seq, newest.seq, newest.item,
        (SELECT digest FROM keepsake_operations WHERE session_key = s.key AND operation_id = ${values.text(operationId)}) AS digest
      FROM keepsake_sessions AS s LEFT JOIN (
        SELECT * FROM keepsake_items WHERE session_key = ${key} ORDER BY seq DESC ${limitTo(dialect, count, values)}
      ) AS newest ON newest.session_key = s.key
      WHERE s.id = ${id} AND ${live} ORDER BY newest.seq DESC`,
  );
}

/** The session with the items that contain any of the texts, newest first. */
export function selectContaining(dialect: Dialect, sessionId: string, texts: readonly string[]): Written {
  return sessionStatement(dialect, sessionId, ({ id, live, key, values }) => {
    const contains =
      dialect === 'postgresql'
        ? `EXISTS (SELECT FROM unnest(${values.texts(texts)}) AS part WHERE strpos(item, part) > 0)`
        : `EXISTS (SELECT 1 FROM json_each(${values.text(JSON.stringify(texts))}) AS part WHERE instr(item, part.value) > 0)`;
    // With a limit, planners read the items as a range of their index.
    return `SELECT s.key, s.version, s.last_seq, calls.seq, calls.item, NULL AS digest
      FROM keepsake_sessions AS s JOIN (
        SELECT * FROM keepsake_items WHERE session_key = ${key} AND ${contains} ORDER BY seq DESC LIMIT ${Number.MAX_SAFE_INTEGER}
      ) AS calls ON calls.session_key = s.key
      WHERE s.id = ${id} AND ${live} ORDER BY calls.seq DESC`;
  });
}

/** Restarts the time to live. */
export function touch(dialect: Dialect, sessionId: string, ttlMs: number | null): Written {
  return sessionStatement(
    dialect,
    sessionId,
    ({ id, live, values }) =>
      `UPDATE keepsake_sessions SET expires_ms = ${nowOf(dialect)} + ${values.whole(ttlMs)} WHERE id = ${id} AND ${live}`,
  );
}

/** Removes the session, and returns whether it had not expired. */
export function remove(dialect: Dialect, sessionId: string): Written {
  return sessionStatement(
    dialect,
    sessionId,
    ({ id, live }) =>
      `DELETE FROM keepsake_sessions WHERE id = ${id} RETURNING CASE WHEN ${live} THEN 1 ELSE 0 END AS live`,
  );
}

/** For PostgreSQL only: removes the newest item and returns it, unless it is damaged. */
export function popNewest(sessionId: string, ttlMs: number | null): Written {
  return sessionStatement(
    'postgresql',
    sessionId,
    ({ id, values }) => `SELECT popped, is_sound FROM keepsake_pop_item(${id}, ${values.whole(ttlMs)})`,
  );
}
