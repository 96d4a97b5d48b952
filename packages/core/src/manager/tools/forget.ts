import { expectKnownFields, type FieldNames } from '../../common/check-fields.ts';
import { withDeadline } from '../../common/deadline.ts';
import { guarded, readList } from '../../common/read-values.ts';
import { checkId } from '../../common/text.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import type { MemoryRecord, RecordStore } from '../../store/record-store.ts';
import { throwIfAborted } from '../../store/store-options.ts';
import { targetStores, unable, writeCode } from '../options/managed-stores.ts';
import type { ListedMemory, MemoryForgetOptions, MemoryForgetResult } from '../options/manager-options.ts';
import { type AddContext, allSettled, PATIENCE, storeError } from './add.ts';
import { isReadable, type ReadableStore } from './read-tool.ts';

const FORGET: FieldNames<MemoryForgetOptions> = { ids: true, stores: true, signal: true };

/** A store whose records can be deleted by id. */
type ForgettingStore = ReadableStore & Pick<RecordStore, 'delete'>;

/** Records of a store. */
interface StoredRecords {
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
  const checkedOptions = expectKnownFields(options, FORGET);
  const { signal } = checkedOptions;
  const wanted = idsByStore(context.stores, checkedOptions);
  throwIfAborted(signal);
  // Nothing is deleted before it is clear that everything can be.
  const storeRecords = await Promise.all([...wanted].map(([store, ids]) => find(context, store, ids, signal)));
  const kept = storeRecords.filter(({ records }) => records.length > 0);
  for (const { store } of kept) expectCanForget(context.stores, store);

  const removed = allSettled(kept, 'Forgotten in', (one) => remove(context, one, signal));
  const mayBeGone = kept.flatMap(({ records }) => records.map(({ id }) => id));
  const forgotten = (await removed.finally(() => onForgotten(mayBeGone))).flat();
  const gone = new Set(forgotten.map(({ id }) => id));
  const ids = new Set([...wanted.values()].flatMap((ids) => [...ids]));
  return { forgotten, notFound: [...ids].filter((id) => !gone.has(id)) };
}

/** The ids to look for in each store. An id of no store is looked for in all: the same text has the same id in each. */
function idsByStore(
  all: readonly MemoryStore[],
  { ids: uncheckedIds, stores: names }: MemoryForgetOptions,
): ReadonlyMap<ReadableStore, ReadonlySet<string>> {
  const ids = readList(uncheckedIds, '`ids`');
  if (!all.some(canForget)) expectCanForget(all, undefined);
  const targets = names === undefined ? all.filter(isReadable) : targetStores(all, names);
  if (names !== undefined) for (const store of targets) expectCanForget(all, store);
  const wanted = new Map<ReadableStore, Set<string>>();
  for (const [index, one] of ids.entries()) {
    const what = `\`ids[${index}]\``;
    const [id, storeName] = guarded(what, () => (typeof one === 'string' ? [one] : [one?.id, one?.storeName]));
    checkId(id, what);
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
  throw unable(writeCode(store), store, 'forget', all.filter(canForget));
}

async function find(
  { deadlineMs, initialize }: AddContext,
  store: ReadableStore,
  ids: ReadonlySet<string>,
  parent: AbortSignal | undefined,
): Promise<StoredRecords> {
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
  { store, records }: StoredRecords,
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
