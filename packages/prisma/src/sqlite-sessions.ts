import { type Database, NOW_MS, writing } from './database.ts';
import { failureOf } from './prisma-errors.ts';
import type { SessionChange, SessionWriter } from './session-changes.ts';

/*
 * How sessions are changed in SQLite: by an insert into the view `keepsake_session_changes`, whose trigger does all of it.
 * So it is one statement on any connection, with no transaction that would have to be begun, held and ended. What the
 * trigger refuses, it refuses by an error.
 */

const CHANGE = writing(
  'sqlite',
  `INSERT INTO keepsake_session_changes (
    id, now_ms, ttl_ms, key, version, last_seq, cut_from, removed, replaced, added, added_count, growth,
    operation_id, digest, forget, only_new)
  VALUES ($1, ${NOW_MS.sqlite}, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
);

/** What a change leaves out is as in one that adds to a session that may have to come into being. */
interface Change extends Partial<SessionChange> {
  readonly forget?: boolean;
  readonly ifNew?: boolean | undefined;
}

export function sqliteSessions(database: Database): SessionWriter {
  return {
    add: ({ sessionId, ttlMs }, items, { operation, ifNew } = {}) =>
      make(database, sessionId, ttlMs, { added: items, growth: items.length, operation, ifNew }),
    change: ({ sessionId, ttlMs }, change) => make(database, sessionId, ttlMs, change),
    async clear({ sessionId, ttlMs }) {
      await make(database, sessionId, ttlMs, { from: 0, forget: true });
    },
  };
}

/** Makes a change, and says whether the session was such that it could be made. */
async function make(database: Database, id: string, ttlMs: number | undefined, change: Change): Promise<boolean> {
  const { state, evenIfLonger, from, removed, replaced, added = [], growth = 0, operation, forget, ifNew } = change;
  const values = [
    ...[id, ttlMs ?? null],
    ...[state?.key ?? null, state?.version ?? null, evenIfLonger ? null : (state?.lastSeq ?? null)],
    ...[from ?? null, json(removed), json(replaced?.map(({ seq, text }) => [seq, text]))],
    ...[json(added), added.length, growth],
    ...[operation?.operationId ?? null, operation?.digest ?? null],
    ...[forget ? 1 : 0, ifNew ? 1 : 0],
  ];
  try {
    await database.execute(CHANGE, values);
    return true;
  } catch (error) {
    if (failureOf((error as { cause?: unknown }).cause).message.includes('keepsake: changed')) return false;
    throw error;
  }
}

function json(list: readonly unknown[] | undefined): string | null {
  return list === undefined || list.length === 0 ? null : JSON.stringify(list);
}
