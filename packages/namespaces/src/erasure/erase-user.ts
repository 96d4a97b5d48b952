import { isMemoryError, MemoryError, type Namespace, type RecordStore, type SessionStore } from '@keepsake/core';
import { allOf } from '../space/pages.ts';
import { type Principal, principalName, principalOf } from '../space/principal.ts';
import { isOutbox } from '../space/reserved.ts';
import { type Actor, ownSessionId, sessionPrincipal } from '../space/session-ids.ts';
import { held, stored } from '../space/tree.ts';

/** What to erase of a principal. */
export interface EraseOptions {
  /** Also what they wrote last of what is shared, in whichever pool or team. Default false. */
  readonly sharedEntries?: boolean;
  /** Counts, and removes nothing. Default false. */
  readonly dryRun?: boolean;
}

/** What was removed by this call, or would be. */
export interface ErasureReceipt {
  readonly principal: Required<Principal>;
  readonly dryRun: boolean;
  /** Namespaces that held something, places below private memories included. */
  readonly namespaces: readonly Namespace[];
  /** Private memories, of all agents. */
  readonly memories: number;
  /** What managers had still to save, where their outbox lies below a private memory. */
  readonly outboxRecords: number;
  /** What they had written in pools and teams; 0 unless asked for. */
  readonly sharedEntries: number;
  readonly sessions: number;
  readonly sessionItems: number;
  /** When all was looked at and nothing was left. ISO 8601, UTC. */
  readonly completedAt: string;
}

/** What is removed while others go on writing is looked for again so often. */
const MAX_PASSES = 20;

type Counts = {
  -readonly [Name in keyof ErasureReceipt as ErasureReceipt[Name] extends number ? Name : never]: number;
};

/**
 * Removes what belongs to a principal, until a look at everything finds nothing more. It can be cut off at any point and
 * run again: what is left goes then.
 *
 * @param withoutAuth - The actors that are this principal without saying so.
 * @throws MemoryError `CONFLICT` where others, in other processes, keep writing for them; nothing is claimed then.
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
      return {
        principal,
        dryRun,
        namespaces: [...namespaces.values()],
        ...total,
        completedAt: new Date().toISOString(),
      };
    }
  }
  throw new MemoryError('CONFLICT', 'Somebody keeps writing for this principal. Stop that, and erase again.');
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

/** What nobody has for themselves may hold what they wrote, also in pools that are no longer declared. */
async function eraseShared(store: RecordStore, principal: Principal, dryRun: boolean, counts: Counts): Promise<void> {
  for (const { namespace } of await toArray(held(store), (info) => principalOf(info.namespace) === undefined)) {
    const place = store.within(namespace);
    for (const { id, version } of await toArray(writtenBy(place, principal), () => true)) {
      if (dryRun || (await deleteUnlessChanged(place, id, version))) counts.sharedEntries++;
    }
  }
}

/** What they wrote may be left in storage of entries that are gone, have expired, or that others have replaced. */
async function compactShared(store: RecordStore): Promise<void> {
  for (const { namespace } of await toArray(stored(store), (info) => principalOf(info.namespace) === undefined)) {
    await store.within(namespace).compact?.();
  }
}

/** What a principal wrote last at a place. */
export async function* writtenBy(place: RecordStore, principal: Principal) {
  const name = principalName(principal);
  const filter = place.capabilities.filter ? { filter: { writtenBy: name } } : {};
  for await (const record of allOf((options) => place.list({ ...options, ...filter, order: 'oldest' }))) {
    if (record.metadata.writtenBy === name) yield record;
  }
}

/** What somebody else has written meanwhile is theirs. */
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

/** The stored sessions of a principal, of all agents, and those of the actors that are this principal without saying so. */
export function ownSessions(sessions: SessionStore, principal: Principal, withoutAuth: readonly Actor[]) {
  const name = principalName(principal);
  return toArray(
    allOf((options) => sessions.list(options)),
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

/** What is to be removed is looked up first: a list that is changed on the way is another list. */
export async function toArray<T>(all: AsyncIterable<T>, passes: (one: T) => boolean): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) if (passes(one)) found.push(one);
  return found;
}
