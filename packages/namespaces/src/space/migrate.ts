import {
  isMemoryError,
  type MemoryRecord,
  type Namespace,
  type RecordInput,
  type RecordStore,
  sameNamespace,
} from '@keepsake/core';
import { allOf } from './pages.ts';
import { isNewer } from './preamble-memories.ts';
import { children } from './tree.ts';

/** What became of the records of a migration, or would. */
export interface MigrationResult {
  /** The namespaces that records come from. */
  readonly namespaces: readonly Namespace[];
  /** How many records are at their new place. */
  readonly moved: number;
  /** How many were removed because there is a newer one of their id. */
  readonly outdated: number;
  /** How many were left where they are, since somebody changed them meanwhile. */
  readonly left: number;
}

type Source = { readonly record: MemoryRecord; readonly at: RecordStore };

/**
 * Moves what lies at a namespace, and below it as `children` has it, to another; of several records of one id the newest
 * stays. Each is written at its new place before it is removed at the old one, so it can be cut off and run again.
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
  for (const namespace of places.filter((one) => !sameNamespace(one, to))) {
    const at = store.within(namespace);
    for await (const record of allOf((options) => at.list(options))) {
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
  const isOutdated = known !== undefined && !isNewer(record, known);
  if (dryRun) return isOutdated ? 'outdated' : 'moved';
  try {
    if (!isOutdated) await target.put(toInput(record), { ifVersion: known?.version ?? 0 });
  } catch (error) {
    // Somebody was faster.
    if (isMemoryError(error, 'CONFLICT')) return move(source, target, dryRun);
    throw error;
  }
  if (!(await remove(source, dryRun))) return 'left';
  return isOutdated ? 'outdated' : 'moved';
}

/** Removes a record where it was, unless somebody has changed it since. */
async function remove({ record, at }: Source, dryRun: boolean): Promise<boolean> {
  if (dryRun) return true;
  try {
    await at.delete(record.id, { ifVersion: record.version });
    return true;
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}

function toInput({ id, content, metadata, createdAt, expiresAt, turn }: MemoryRecord): RecordInput {
  const ttlMs = expiresAt === undefined ? undefined : Math.max(1, Date.parse(expiresAt) - Date.now());
  return { id, content, metadata, createdAt, ...(ttlMs !== undefined && { ttlMs }), ...(turn && { turn }) };
}

function byCreation(a: Source, b: Source): number {
  return a.record.createdAt < b.record.createdAt ? -1 : a.record.createdAt > b.record.createdAt ? 1 : 0;
}
