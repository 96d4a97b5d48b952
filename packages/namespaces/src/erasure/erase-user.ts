import { isMemoryError, MemoryError, type Namespace, type RecordStore, type SessionStore } from '@keepsake/core';
import type { FieldNames } from '@keepsake/core/adapter';
import { allItems } from '@keepsake/internal';
import { type Principal, principalName, principalOf } from '../space/principal.ts';
import { isOutbox } from '../space/reserved.ts';
import { type Actor, ownSessionId, sessionPrincipal } from '../space/session-ids.ts';
import { held, stored } from '../space/tree.ts';

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
}

export const ERASE: FieldNames<EraseOptions> = { sharedEntries: true, dryRun: true };

/** What this call removed, or would remove in a dry run. */
export interface ErasureReceipt {
  readonly principal: Required<Principal>;
  readonly dryRun: boolean;
  /** Namespaces that contained something, including those below private memories. */
  readonly namespaces: readonly Namespace[];
  /** Private memories of all agents. */
  readonly memories: number;
  /** Unsaved turns of managers whose outbox is below a private memory. */
  readonly outboxRecords: number;
  /** Entries they wrote in pools and teams; 0 without `sharedEntries`. */
  readonly sharedEntries: number;
  readonly sessions: number;
  readonly sessionItems: number;
  /** When a full pass found nothing left. ISO 8601, UTC. */
  readonly completedAt: string;
}

/** How often the search repeats while other writers keep adding data. */
const MAX_PASSES = 20;

type Counts = {
  -readonly [Name in keyof ErasureReceipt as ErasureReceipt[Name] extends number ? Name : never]: number;
};

/**
 * Removes all data of a principal and repeats until a full pass finds nothing. Safe to interrupt and run again: the next run
 * removes the rest.
 *
 * @param withoutAuth - The actors without a principal in their id that belong to this principal.
 * @throws MemoryError `CONFLICT` if other processes keep writing for this principal. There is no receipt then.
 */
export async function eraseUser(
  store: RecordStore,
  sessions: SessionStore | undefined,
  principal: Required<Principal>,
  withoutAuth: readonly Actor[],
  { sharedEntries = false, dryRun = false }: EraseOptions,
): Promise<ErasureReceipt> {
  const namespaces = new Map<string, Namespace>();
  const total: Counts = { memories: 0, outboxRecords: 0, sharedEntries: 0, sessions: 0, sessionItems: 0 };
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const counts: Counts = { memories: 0, outboxRecords: 0, sharedEntries: 0, sessions: 0, sessionItems: 0 };
    await eraseMemories(store, principal, dryRun, counts, namespaces);
    if (sharedEntries) await eraseShared(store, principal, dryRun, counts);
    if (sessions !== undefined) await eraseSessions(sessions, principal, withoutAuth, dryRun, counts);
    for (const name of Object.keys(counts) as (keyof Counts)[]) total[name] += counts[name];
    if (dryRun || Object.values(counts).every((count) => count === 0)) {
      if (sharedEntries && !dryRun) await compactShared(store);
      // Where all namespaces share a file, it can still contain text that was deleted in any of them.
      if (!dryRun) await store.compact?.();
      return {
        principal,
        dryRun,
        namespaces: [...namespaces.values()],
        ...total,
        completedAt: new Date().toISOString(),
      };
    }
  }
  throw new MemoryError('CONFLICT', 'Another process keeps writing for this principal. Stop it and erase again.');
}

async function eraseMemories(
  store: RecordStore,
  principal: Principal,
  dryRun: boolean,
  counts: Counts,
  namespaces: Map<string, Namespace>,
): Promise<void> {
  const own = await toArray(stored(store), ({ namespace }) => belongsTo(namespace, principal));
  for (const { namespace, recordCount } of own) {
    const count = dryRun ? recordCount : await store.within(namespace).clear();
    counts[isOutbox(namespace) ? 'outboxRecords' : 'memories'] += count;
    if (count > 0) namespaces.set(JSON.stringify(namespace), namespace);
  }
}

/** Looks at every shared namespace, because pools that are no longer declared may still contain their entries. */
async function eraseShared(store: RecordStore, principal: Principal, dryRun: boolean, counts: Counts): Promise<void> {
  for (const { namespace } of await toArray(held(store), (info) => principalOf(info.namespace) === undefined)) {
    const place = store.within(namespace);
    for (const { id, version } of await toArray(writtenBy(place, principal), () => true)) {
      if (dryRun || (await deleteUnlessChanged(place, id, version))) counts.sharedEntries++;
    }
  }
}

/** Storage may still contain their text in entries that were deleted, expired or replaced by others. */
async function compactShared(store: RecordStore): Promise<void> {
  for (const { namespace } of await toArray(stored(store), (info) => principalOf(info.namespace) === undefined)) {
    await store.within(namespace).compact?.();
  }
}

/** The entries of a store whose last writer is the principal. */
export async function* writtenBy(place: RecordStore, principal: Principal) {
  const name = principalName(principal);
  const filter = place.capabilities.filter ? { filter: { writtenBy: name } } : {};
  for await (const record of allItems((options) => place.list({ ...options, ...filter, order: 'oldest' }))) {
    if (record.metadata.writtenBy === name) yield record;
  }
}

/** If somebody else wrote the entry in the meantime, it belongs to them. */
async function deleteUnlessChanged(place: RecordStore, id: string, ifVersion: number): Promise<boolean> {
  try {
    return await place.delete(id, { ifVersion });
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}

async function eraseSessions(
  sessions: SessionStore,
  principal: Principal,
  withoutAuth: readonly Actor[],
  dryRun: boolean,
  counts: Counts,
): Promise<void> {
  for (const { sessionId, itemCount } of await ownSessions(sessions, principal, withoutAuth)) {
    if (!dryRun && !(await sessions.delete(sessionId))) continue;
    counts.sessions++;
    counts.sessionItems += itemCount;
  }
}

/** The stored sessions of a principal, of all agents, including those of actors without a principal in their id. */
export function ownSessions(sessions: SessionStore, principal: Principal, withoutAuth: readonly Actor[]) {
  const name = principalName(principal);
  return toArray(
    allItems((options) => sessions.list(options)),
    ({ sessionId }) => {
      const owner = sessionPrincipal(sessionId);
      if (owner !== undefined) return principalName(owner) === name;
      return withoutAuth.some((actor) => ownSessionId(actor, sessionId) !== undefined);
    },
  );
}

export function belongsTo(namespace: Namespace, principal: Principal): boolean {
  const owner = principalOf(namespace);
  return owner !== undefined && principalName(owner) === principalName(principal);
}

/** Reads everything before the caller removes anything, because removing entries changes the pages of a list. */
export async function toArray<T>(all: AsyncIterable<T>, passes: (one: T) => boolean): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) if (passes(one)) found.push(one);
  return found;
}
