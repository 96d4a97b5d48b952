import { expectKnownFields, type FieldNames } from '../../common/check-fields.ts';
import { withDeadline } from '../../common/deadline.ts';
import { MemoryError } from '../../common/errors.ts';
import { expect } from '../../common/expect.ts';
import { checkId, quoted } from '../../common/text.ts';
import type { MemoryEntry, MemoryStore } from '../../store/memory-store.ts';
import type { MemoryRecord, RecordStore } from '../../store/record-store.ts';
import { throwIfAborted } from '../../store/store-options.ts';
import { storeNames, targetStores } from '../options/managed-stores.ts';
import type { ListedMemory, MemoryForgetOptions, MemoryForgetResult } from '../options/manager-options.ts';
import { type AddContext, PATIENCE, storeError } from './add.ts';
import { isReadable, type ReadableStore } from './read-tool.ts';

const FORGET: FieldNames<MemoryForgetOptions> = { ids: true, stores: true, signal: true };

/** A store whose records can be deleted by id. */
type ForgettingStore = ReadableStore & Pick<RecordStore, 'delete'>;

/** Records of a store. */
interface Found {
  readonly store: ReadableStore;
  readonly records: readonly MemoryRecord[];
}

export function canForget(store: MemoryStore): store is ForgettingStore {
  return store.writable && isReadable(store) && typeof (store as Partial<RecordStore>).delete === 'function';
}

/**
 * See `MemoryManager.forget`.
 *
 * @param onForgotten - Called with the ids of all memories that may be gone, also after a failure.
 */
export async function forgetInStores(
  context: AddContext,
  options: MemoryForgetOptions,
  onForgotten: (ids: readonly string[]) => void,
): Promise<MemoryForgetResult> {
  const given = expectKnownFields(options, FORGET);
  const { signal } = given;
  const wanted = idsByStore(context.stores, given);
  throwIfAborted(signal);
  // Nothing is deleted before it is clear that everything can be.
  const found = await Promise.all([...wanted].map(([store, ids]) => find(context, store, ids, signal)));
  const kept = found.filter(({ records }) => records.length > 0);
  for (const { store } of kept) expectCanForget(context.stores, store);

  const outcomes = await Promise.allSettled(kept.map((one) => remove(context, one, signal)));
  onForgotten(kept.flatMap(({ records }) => records.map(({ id }) => id)));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as MemoryError] : []));
  const forgotten = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  if (errors.length > 0) {
    const done = storeNames(
      kept.flatMap(({ store }, index) => (outcomes[index]?.status === 'fulfilled' ? [store] : [])),
    );
    throw new AggregateError(errors, `${errors.map(({ message }) => message).join(' ')} Forgotten in: ${done}.`);
  }
  const gone = new Set(forgotten.map(({ id }) => id));
  const ids = new Set([...wanted.values()].flatMap((ids) => [...ids]));
  return { forgotten, notFound: [...ids].filter((id) => !gone.has(id)) };
}

/** The ids to look for in each store. An id of no store is looked for in all: the same text has the same id in each. */
function idsByStore(
  all: readonly MemoryStore[],
  { ids, stores: names }: MemoryForgetOptions,
): ReadonlyMap<ReadableStore, ReadonlySet<string>> {
  expect(Array.isArray(ids), '`ids` must be an array of ids, or of memories with an id.');
  if (!all.some(canForget)) expectCanForget(all, undefined);
  const targets = names === undefined ? all.filter(isReadable) : targetStores(all, names);
  if (names !== undefined) for (const store of targets) expectCanForget(all, store);
  const wanted = new Map<ReadableStore, Set<string>>();
  for (const [index, one] of (ids as MemoryForgetOptions['ids']).entries()) {
    const { id, storeName }: Pick<MemoryEntry, 'id' | 'storeName'> =
      typeof one === 'string' ? { id: one } : (one ?? {});
    checkId(id, `\`ids[${index}]\``);
    const named = storeName === undefined ? undefined : targetStores(all, [storeName]);
    for (const store of named ?? []) expectCanForget(all, store);
    for (const store of (named ?? targets) as readonly ReadableStore[]) {
      wanted.set(store, (wanted.get(store) ?? new Set()).add(id));
    }
  }
  return wanted;
}

function expectCanForget(all: readonly MemoryStore[], store: MemoryStore | undefined): void {
  if (store !== undefined && canForget(store)) return;
  const code = store?.writable ? 'UNSUPPORTED' : 'READ_ONLY';
  const refused = store ? `Store ${quoted(store.name)} can't` : 'No store can';
  throw new MemoryError(code, `${refused} forget. These can: ${storeNames(all.filter(canForget))}.`);
}

async function find(
  { deadlineMs, initialize }: AddContext,
  store: ReadableStore,
  ids: ReadonlySet<string>,
  parent: AbortSignal | undefined,
): Promise<Found> {
  const records: MemoryRecord[] = [];
  try {
    await withDeadline(deadlineMs * PATIENCE, parent, async (signal) => {
      await initialize(store);
      for (const id of ids) {
        signal.throwIfAborted();
        const record = await store.get(id);
        if (record !== undefined) records.push(record);
      }
    });
  } catch (error) {
    throwIfAborted(parent);
    throw storeError(store, 'read the memories', error);
  }
  return { store, records };
}

async function remove(
  { deadlineMs, span }: AddContext,
  { store, records }: Found,
  parent: AbortSignal | undefined,
): Promise<ListedMemory[]> {
  const { name: storeName } = store;
  return span('delete_memory', storeName, (tell) => {
    tell({ count: records.length, records });
    let isPending = true;
    const removed = withDeadline(deadlineMs * PATIENCE, parent, async (signal) => {
      const gone: ListedMemory[] = [];
      try {
        for (const record of records) {
          signal.throwIfAborted();
          // Another caller may have been faster.
          if (await (store as ForgettingStore).delete(record.id)) gone.push({ ...record, storeName });
        }
      } finally {
        isPending = false;
      }
      return gone;
    });
    return removed.catch((error) => {
      throw storeError(store, 'forget the memories', isPending ? undefined : error);
    });
  });
}
