import { MemoryError } from '@keepsake/core';
import type { FieldNames } from '@keepsake/core/adapter';
import { emptySession } from '../handle/empty-session.ts';
import { ProfileRecords } from '../profile/profile-records.ts';
import { untilLanded } from '../runs/compare-and-set.ts';
import { KINDS } from '../runs/kind.ts';
import type { Places } from '../runs/places.ts';
import { RunRecords } from '../runs/run-records.ts';
import type { StoredSession } from '../runs/session.ts';
import type { SessionRecords } from '../runs/session-records.ts';

/** How to erase a user. */
export interface UserErasureOptions {
  /**
   * Only counts, removes nothing.
   *
   * @default false
   */
  readonly dryRun?: boolean | undefined;
  /**
   * Also compacts the stores at the end, so that storage keeps no copy of what was deleted. SQLite rewrites its file for that, which
   * costs with the whole file. Of many users, erase all but the last with `false`: the last one's compaction serves all.
   *
   * @default true
   */
  readonly compact?: boolean | undefined;
}

export const USER_ERASURE: FieldNames<UserErasureOptions> = { dryRun: true, compact: true };

/** What this call removed, or would remove. */
export interface UserErasure {
  readonly userId: string;
  readonly dryRun: boolean;
  /** Whether the stores were compacted. Otherwise, storage can keep copies of what was deleted. */
  readonly compacted: boolean;
  readonly sessions: number;
  /** Of all states. */
  readonly runs: number;
  /** 1 if the user had a profile. */
  readonly profiles: number;
  /** When a full check found nothing left. ISO 8601, UTC. */
  readonly completedAt: string;
}

/** How many times to check again if other processes keep writing. */
const MAX_PASSES = 20;

type Counts = { -readonly [Name in 'sessions' | 'runs' | 'profiles']: UserErasure[Name] };

/** See `ConversationMemory.eraseUser`. */
export async function eraseUser(
  places: Places,
  sessions: SessionRecords,
  userId: string,
  { dryRun, compact }: { readonly [Name in keyof UserErasureOptions]-?: boolean },
): Promise<UserErasure> {
  const compacted = compact && !dryRun;
  const total: Counts = { sessions: 0, runs: 0, profiles: 0 };
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const counts = dryRun ? await count(places, sessions, userId) : await erase(places, sessions, userId);
    for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name];
    if (!dryRun && Object.values(counts).some((number) => number > 0)) continue;
    if (compacted) await compactAll(places);
    return { userId, dryRun, compacted, ...total, completedAt: new Date().toISOString() };
  }
  throw new MemoryError('CONFLICT', 'Another process keeps saving runs of this user. Stop it, and erase again.');
}

async function count(places: Places, sessions: SessionRecords, userId: string): Promise<Counts> {
  const profile = await new ProfileRecords(places).get({ scope: 'user', userId });
  const counts = { sessions: 0, runs: 0, profiles: profile === undefined ? 0 : 1 };
  for await (const { kind, sessionId } of sessions.allOf(userId)) {
    counts.sessions++;
    for await (const page of new RunRecords(places, kind, sessionId).pages()) counts.runs += page.length;
  }
  return counts;
}

async function erase(places: Places, sessions: SessionRecords, userId: string): Promise<Counts> {
  const counts = { sessions: 0, runs: 0, profiles: 0 };
  // Collects the ids first, because removing while paging would skip entries.
  const storedSessions: StoredSession[] = [];
  for await (const session of sessions.allOf(userId)) storedSessions.push(session);
  for (const { kind, sessionId } of storedSessions) {
    await untilLanded(async () => {
      const session = await sessions.get(kind, sessionId);
      // It is gone, and may belong to another user by now.
      if (session?.userId !== userId) return;
      counts.runs += await emptySession(places, session);
      if (await sessions.delete(session)) counts.sessions++;
    });
  }
  await sessions.clearListOf(userId);
  if (await new ProfileRecords(places).delete({ scope: 'user', userId })) counts.profiles++;
  return counts;
}

/** Shared storage may keep removed text until it is compacted. */
async function compactAll(places: Places): Promise<void> {
  const profiles = [places.profiles('user'), places.profiles('session')];
  const ids = KINDS.map((kind) => places.runIds(kind));
  for (const store of [places.sessions, places.unfinished, ...profiles, ...ids]) await store.compact?.();
}
