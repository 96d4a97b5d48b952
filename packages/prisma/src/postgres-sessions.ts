import { LIMITS } from '@keepsake/core';
import { type Database, NOW_MS, writing } from './database.ts';
import { failureOf } from './prisma-errors.ts';
import type { SessionWriter } from './session-changes.ts';

/*
 * How sessions are changed in PostgreSQL: by one statement, of which the first part takes the row of the session, and
 * holds it until all is done. The parts of a statement see the tables as they were when it began, so whatever depends on
 * what others may have done meanwhile stands in that row, whose latest state the first part finds.
 */

const write = (sql: string) => writing('postgresql', sql);
const NOW = NOW_MS.postgresql;

/** The session $1, new, with so many items as the array $2 has, and the TTL $3. */
const NEW_SESSION = `
  INSERT INTO keepsake_sessions AS s (id, last_seq, item_count, created_ms, updated_ms, expires_ms)
  SELECT $1, n, n, now_ms, now_ms, now_ms + $3::bigint
  FROM (SELECT cardinality($2::text[]) AS n, ${NOW} AS now_ms) AS given`;

/** What a session that is there takes over from the new one: numbers for so many items, and the times. */
const GROWN = `
  last_seq = s.last_seq + excluded.last_seq, item_count = s.item_count + excluded.item_count,
  activity = excluded.activity, updated_ms = greatest(s.updated_ms, excluded.updated_ms),
  expires_ms = coalesce(excluded.expires_ms, s.expires_ms)`;

const ALIVE = '(s.expires_ms IS NULL OR s.expires_ms > excluded.updated_ms)';

/** The items $2, under the last of the numbers of the session that was taken. */
const ADD_ITEMS = `
  INSERT INTO keepsake_items (session_key, seq, item)
  SELECT taken.key, taken.last_seq - cardinality($2::text[]) + given.place, given.item
  FROM taken, unnest($2::text[]) WITH ORDINALITY AS given (item, place)`;

/** Remembers an operation, and forgets the oldest. */
const remember = (id: string, digest: string, where = '') => `
  remembered AS (
    INSERT INTO keepsake_operations (session_key, operation_id, digest, place)
    SELECT key, ${id}, ${digest}, operations FROM taken ${where}),
  forgotten AS (
    DELETE FROM keepsake_operations USING taken
    WHERE session_key = taken.key AND place <= taken.operations - ${LIMITS.operationIds})`;

const ADD = write(`
  WITH taken AS (${NEW_SESSION} ON CONFLICT (id) DO UPDATE SET ${GROWN} WHERE ${ALIVE} RETURNING key, last_seq)
  ${ADD_ITEMS}`);

const ADD_TO_NEW = write(`
  WITH taken AS (${NEW_SESSION} ON CONFLICT (id) DO NOTHING RETURNING key, last_seq)
  ${ADD_ITEMS}`);

/** As ADD, for the operation $4 with the digest $5. Where another with that id comes between, it breaks its key. */
const ADD_ONCE = write(`
  WITH taken AS (
    ${NEW_SESSION}
    WHERE NOT EXISTS (
      SELECT FROM keepsake_operations JOIN keepsake_sessions ON key = session_key WHERE id = $1 AND operation_id = $4)
    ON CONFLICT (id) DO UPDATE
    SET ${GROWN}, version = s.version + 1, operations = s.operations + 1 WHERE ${ALIVE}
    RETURNING key, last_seq, operations),
  ${remember('$4', '$5')},
  added AS (${ADD_ITEMS})
  SELECT 1 FROM taken`);

/**
 * Changes a session as `SessionChange` says. $1 to $3: its key, version, and last number or null. $4: the TTL. $5: from
 * where on items are removed, or null; $6: which else; $7 and $8: which get which text; $9: those to be added; $10: the
 * growth. $11 and $12: an operation and its digest, or null.
 */
const CHANGE = write(`
  WITH taken AS (
    UPDATE keepsake_sessions AS s
    SET last_seq = s.last_seq + cardinality($9::text[]), item_count = s.item_count + $10::bigint,
      version = s.version + 1, operations = s.operations + ($11::text IS NOT NULL)::int,
      activity = nextval('keepsake_sessions_activity_seq'), updated_ms = greatest(s.updated_ms, now_ms),
      expires_ms = coalesce(now_ms + $4::bigint, s.expires_ms)
    FROM (SELECT ${NOW} AS now_ms) AS given
    WHERE s.key = $1::bigint AND s.version = $2::bigint AND s.last_seq = coalesce($3::bigint, s.last_seq)
      AND (s.expires_ms IS NULL OR s.expires_ms > now_ms)
    RETURNING s.key, s.last_seq, s.operations),
  cut AS (DELETE FROM keepsake_items USING taken WHERE session_key = taken.key AND seq >= $5::bigint),
  removed AS (
    DELETE FROM keepsake_items USING taken WHERE session_key = taken.key AND seq = ANY ($6::text[]::bigint[])),
  replaced AS (
    UPDATE keepsake_items AS i SET item = given.item
    FROM taken, unnest($7::text[]::bigint[], $8::text[]) AS given (seq, item)
    WHERE i.session_key = taken.key AND i.seq = given.seq),
  added AS (${ADD_ITEMS.replaceAll('$2', '$9')}),
  ${remember('$11', '$12', 'WHERE $11::text IS NOT NULL')}
  SELECT 1 FROM taken`);

/**
 * Puts an empty session $1 in the place of the old one, with which go its items and operations, also those that others
 * have only just added. $2: the TTL.
 */
const CLEAR = write(`
  WITH old AS (DELETE FROM keepsake_sessions WHERE id = $1 RETURNING *)
  INSERT INTO keepsake_sessions (id, created_ms, updated_ms, expires_ms)
  SELECT id, created_ms, greatest(updated_ms, now_ms), coalesce(now_ms + $2::bigint, expires_ms)
  FROM old, (SELECT ${NOW} AS now_ms) AS given WHERE expires_ms IS NULL OR expires_ms > now_ms`);

export function postgresSessions(database: Database): SessionWriter {
  return {
    async add({ sessionId, ttlMs }, items, { operation, ifNew } = {}) {
      const values = [sessionId, items, ttlMs ?? null];
      if (operation === undefined) return (await database.execute(ifNew ? ADD_TO_NEW : ADD, values)) > 0;
      const { operationId, digest } = operation;
      try {
        return (await database.query(ADD_ONCE, [...values, operationId, digest])).length > 0;
      } catch (error) {
        if (isKnownOperation(error)) return false;
        throw error;
      }
    },

    async change({ ttlMs }, change) {
      const { state, evenIfLonger, from = null, removed = [], replaced = [], added = [], growth, operation } = change;
      const lastSeq = evenIfLonger ? null : state.lastSeq;
      const numbers = [state.key, state.version, lastSeq, ttlMs ?? null, from];
      const replacedItems = [replaced.map(({ seq }) => `${seq}`), replaced.map(({ text }) => text)];
      const items = [removed.map(String), ...replacedItems, added];
      const operationValues = [operation?.operationId ?? null, operation?.digest ?? null];
      return (await database.query(CHANGE, [...numbers, ...items, growth, ...operationValues])).length > 0;
    },

    async clear({ sessionId, ttlMs }) {
      await database.execute(CLEAR, [sessionId, ttlMs ?? null]);
    },
  };
}

function isKnownOperation(error: unknown): boolean {
  const { code, message } = failureOf((error as { cause?: unknown }).cause);
  return code === '23505' && message.includes('keepsake_operations_pkey');
}
