import {
  formatNamespace,
  isMemoryError,
  type MemoryRecord,
  type Namespace,
  type RecordInput,
  type RecordStore,
} from '@keepsake/core';
import { allItems } from '@keepsake/internal';
import { isNewer } from './preamble-memories.ts';
import { children } from './tree.ts';

/** What a migration did with the records, or would do in a dry run. */
export interface MigrationResult {
  /** The source namespaces. */
  readonly namespaces: readonly Namespace[];
  /** The number of records in the target namespace. */
  readonly moved: number;
  /** The number of records removed because a newer one has the same id. */
  readonly outdated: number;
  /** The number of records left in place because another writer changed them. */
  readonly left: number;
}

type Source = { readonly record: MemoryRecord; readonly at: RecordStore };

/**
 * Moves the records of a namespace and its children to another. If several have the same id, the newest stays. Each record
 * is written to the target before it is removed from the source, so a migration can be interrupted and run again.
 */
export async function migrateRecords(
  store: RecordStore,
  from: Namespace,
  to: Namespace,
  dryRun: boolean,
): Promise<MigrationResult> {
  const places = [from, ...(await children(store, from)).map(({ namespace }) => namespace)];
  const sources = new Map<Namespace, number>();
  const newest = new Map<string, Source>();
  const outdated: Source[] = [];
  for (const namespace of places.filter((one) => formatNamespace(one) !== formatNamespace(to))) {
    const at = store.within(namespace);
    for await (const record of allItems((options) => at.list({ ...options, history: true, order: 'oldest' }))) {
      sources.set(namespace, (sources.get(namespace) ?? 0) + 1);
      const source = { record, at };
      const known = newest.get(record.id);
      if (known === undefined || isNewer(record, known.record)) newest.set(record.id, source);
      if (known !== undefined) outdated.push(isNewer(record, known.record) ? known : source);
    }
  }
  const target = store.within(to);
  const counts = { moved: 0, outdated: 0, left: 0 };
  for (const source of [...newest.values()].sort(byCreation)) counts[await move(source, target, dryRun)]++;
  for (const source of outdated) counts[(await remove(source, dryRun)) ? 'outdated' : 'left']++;
  return { namespaces: [...sources.keys()], ...counts };
}

async function move(source: Source, target: RecordStore, dryRun: boolean): Promise<'moved' | 'outdated' | 'left'> {
  const { record } = source;
  const known = await target.get(record.id);
  const isOutdated = known !== undefined && (known.validUntil !== undefined || !isNewer(record, known));
  if (dryRun) return isOutdated ? 'outdated' : 'moved';
  try {
    if (!isOutdated) await copy(record, target, known?.version ?? 0);
  } catch (error) {
    // Another writer was faster.
    if (isMemoryError(error, 'CONFLICT')) return move(source, target, dryRun);
    throw error;
  }
  if (!(await remove(source, dryRun))) return 'left';
  return isOutdated ? 'outdated' : 'moved';
}

/** Copies a record, with its place in the history as far as the target has the other versions. */
async function copy(record: MemoryRecord, target: RecordStore, ifVersion: number): Promise<void> {
  const { supersedes, supersededBy, validFrom, validUntil } = record;
  const input = { ...toInput(record), validFrom, validUntil, supersededBy };
  const former = supersedes === undefined || ifVersion > 0 ? undefined : await target.get(supersedes);
  const isFormer = former !== undefined && (former.validUntil === undefined || former.supersededBy === record.id);
  // A successor must be new in any case, and `ifVersion` would be that of what it supersedes.
  if (isFormer) await target.put({ ...input, supersedes });
  else await target.put(input, { ifVersion });
}

/** Removes a record from its source unless another writer changed it. */
async function remove({ record, at }: Source, dryRun: boolean): Promise<boolean> {
  if (dryRun) return true;
  try {
    // The other versions are moved themselves.
    await at.delete(record.id, { ifVersion: record.version, alone: true });
    return true;
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}

function toInput({ id, content, metadata, createdAt, expiresAt, turn, source, index }: MemoryRecord): RecordInput {
  const ttlMs = expiresAt === undefined ? undefined : Math.max(1, Date.parse(expiresAt) - Date.now());
  const optional = { ...(ttlMs !== undefined && { ttlMs }), ...(turn && { turn }), ...(source && { source }) };
  return { id, content, metadata, createdAt, index, ...optional };
}

function byCreation(a: Source, b: Source): number {
  return a.record.createdAt < b.record.createdAt ? -1 : a.record.createdAt > b.record.createdAt ? 1 : 0;
}
