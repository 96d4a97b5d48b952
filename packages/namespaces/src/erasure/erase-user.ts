import { isMemoryError, MemoryError, type RecordStore, type SessionStore } from '@keepsake/core';
import type { FieldNames } from '@keepsake/core/adapter';
import { allItems, isOutbox } from '@keepsake/internal';
import type { Owners } from '../space/owners.ts';
import { type Principal, principalName } from '../space/principal.ts';
import type { UserData } from '../space/space-options.ts';
import { sharedNamespaces, storedNamespacesWith } from '../space/tree.ts';
import { compactDamaged } from './damaged-entries.ts';
import { type ErasedCounts, Tally } from './tally.ts';

/** What to erase. */
export interface EraseOptions {
  /**
   * Also erases entries of pools and teams whose last writer is this principal.
   *
   * @default false
   */
  readonly sharedEntries?: boolean | undefined;
  /**
   * Only counts, removes nothing.
   *
   * @default false
   */
  readonly dryRun?: boolean | undefined;
  /**
   * Also compacts the stores at the end, so that storage keeps no copy of what was deleted. SQLite rewrites its file for that, which
   * costs with the whole file. Of many users, erase all but the last with `false`: the last one's compaction serves all, with the
   * same `sharedEntries`.
   *
   * @default true
   */
  readonly compact?: boolean | undefined;
}

export const ERASE: FieldNames<EraseOptions> = { sharedEntries: true, dryRun: true, compact: true };

/** What this call removed, or would remove in a dry run. */
export interface ErasureReceipt extends ErasedCounts {
  readonly principal: Required<Principal>;
  readonly dryRun: boolean;
  /** Whether the stores were compacted. Otherwise, storage can keep copies of what was deleted. */
  readonly compacted: boolean;
  /**
   * What damage had left of entries in pools and teams, unless it names another writer. Some may have been by others: nobody
   * can tell. 0 without `sharedEntries`, and where the stores were not compacted.
   */
  readonly damagedEntries: number;
  /**
   * Sessions and namespaces in the storage whose name is lost by damage, so that nobody can tell whose they are. Nothing of them
   * was erased. 0 means that none is left. `keepsake doctor` names their folders; restore a backup of them, or delete them.
   */
  readonly unidentified: number;
  /** What each of the other `userData` answered; `{}` without any, and for services. */
  readonly userData: Readonly<Record<string, object>>;
  /** When a full pass found nothing left. ISO 8601, UTC. */
  readonly completedAt: string;
}

/** Where data of users is. */
export interface UserPlaces {
  readonly store: RecordStore;
  readonly sessions: SessionStore | undefined;
  readonly owners: Owners;
  readonly userData: readonly (readonly [name: string, data: UserData])[];
}

/** How often the search repeats while other writers keep adding data. */
const MAX_PASSES = 20;

/**
 * Removes all data of a principal and repeats until a full pass finds nothing. Safe to interrupt and run again: the next run
 * removes the rest.
 *
 * @throws MemoryError `CONFLICT` if other processes keep writing for this principal. There is no receipt then.
 */
export async function eraseUser(
  places: UserPlaces,
  principal: Required<Principal>,
  { sharedEntries = false, dryRun = false, compact = true }: EraseOptions,
): Promise<ErasureReceipt> {
  const { store, sessions, owners } = places;
  const compacted = compact && !dryRun;
  const userData = principal.type === 'user' ? await eraseUserData(places, principal.id, { dryRun, compact }) : {};
  const tally = new Tally();
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = tally.total;
    await eraseMemories(store, owners, principal, dryRun, tally);
    if (sharedEntries) await eraseShared(store, owners, principal, dryRun, tally);
    if (sessions !== undefined) await eraseSessions(sessions, owners, principal, dryRun, tally);
    if (dryRun || tally.total === before) {
      const damagedEntries = sharedEntries && compacted ? await compactShared(store, owners, principal) : 0;
      // Where all namespaces share a file, it can still contain text that was deleted in any of them.
      if (compacted) await store.compact?.();
      if (compacted) await sessions?.compact?.();
      const unidentified = await countUnidentified(places);
      const completedAt = new Date().toISOString();
      return { principal, dryRun, compacted, ...tally.counts(), damagedEntries, unidentified, userData, completedAt };
    }
  }
  throw new MemoryError('CONFLICT', 'Another process keeps writing for this principal. Stop it and erase again.');
}

async function countUnidentified({ store, sessions }: UserPlaces): Promise<number> {
  return ((await store.unidentified?.()) ?? 0) + ((await sessions?.unidentified?.()) ?? 0);
}

async function eraseUserData(
  { userData }: UserPlaces,
  userId: string,
  options: Parameters<UserData['eraseUser']>[1],
): Promise<Record<string, object>> {
  const erased: Record<string, object> = {};
  for (const [name, data] of userData) erased[name] = await data.eraseUser(userId, options);
  return erased;
}

async function eraseMemories(
  store: RecordStore,
  owners: Owners,
  principal: Principal,
  dryRun: boolean,
  tally: Tally,
): Promise<void> {
  const some = storedNamespacesWith(store, owners.segmentOf(principal));
  const own = await toArray(some, ({ namespace }) => owners.belongsTo(namespace, principal));
  for (const { namespace, recordCount } of own) {
    const count = dryRun ? recordCount : await store.within(namespace).clear();
    tally.addRecords(namespace, isOutbox(namespace) ? 'outbox' : 'memory', count);
  }
}

/** Looks at every shared namespace, because pools that are no longer declared may still contain their entries. */
async function eraseShared(
  store: RecordStore,
  owners: Owners,
  principal: Principal,
  dryRun: boolean,
  tally: Tally,
): Promise<void> {
  for (const namespace of await sharedNamespaces(store, owners)) {
    const place = store.within(namespace);
    for (const { id, version } of await toArray(writtenBy(place, principal), () => true)) {
      if (dryRun || (await deleteUnlessChanged(place, id, version))) tally.addRecords(namespace, 'shared', 1);
    }
  }
}

/**
 * Storage may still contain their text in entries that were deleted, expired, replaced by others, or damaged. Returns how
 * many remains of damaged entries were removed.
 */
async function compactShared(store: RecordStore, owners: Owners, principal: Principal): Promise<number> {
  let removed = 0;
  for (const namespace of await sharedNamespaces(store, owners, true)) {
    removed += await compactDamaged(store.within(namespace), principal);
  }
  return removed;
}

/** The entries of a store whose last writer is the principal, closed ones too. */
export async function* writtenBy(place: RecordStore, principal: Principal) {
  const name = principalName(principal);
  const filter = place.capabilities.filter ? { filter: { writtenBy: name } } : {};
  for await (const record of allItems((options) =>
    place.list({ ...options, ...filter, order: 'oldest', history: true }),
  )) {
    if (record.metadata.writtenBy === name) yield record;
  }
}

/** If somebody else wrote the entry in the meantime, it belongs to them. */
async function deleteUnlessChanged(place: RecordStore, id: string, ifVersion: number): Promise<boolean> {
  try {
    // Other versions may be of other writers.
    return await place.delete(id, { ifVersion, alone: true });
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}

async function eraseSessions(
  sessions: SessionStore,
  owners: Owners,
  principal: Principal,
  dryRun: boolean,
  tally: Tally,
): Promise<void> {
  for (const { sessionId, itemCount } of await ownSessions(sessions, owners, principal)) {
    if (dryRun || (await sessions.delete(sessionId))) tally.addSession(itemCount);
  }
}

/** The stored sessions of a principal, of all agents. */
export function ownSessions(sessions: SessionStore, owners: Owners, principal: Principal) {
  return toArray(
    allItems((options) => sessions.list({ ...options, ...owners.sessionsOf(principal) })),
    ({ sessionId }) => owners.isSessionOf(sessionId, principal),
  );
}

/** Reads everything before the caller removes anything, because removing entries changes the pages of a list. */
export async function toArray<T>(all: AsyncIterable<T>, passes: (one: T) => boolean): Promise<T[]> {
  const items: T[] = [];
  for await (const one of all) if (passes(one)) items.push(one);
  return items;
}
