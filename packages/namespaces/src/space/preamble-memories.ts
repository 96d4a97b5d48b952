import type { MemoryEntry, MemoryRecord, Namespace, RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { allItems, reciprocalRankFusion } from '@keepsake/internal';
import { children } from './tree.ts';

/** Which memories a preamble needs. */
export interface PreambleQuery {
  /** The question of the user: memories that match it come first. Without it, the newest come first. */
  readonly question?: string | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

type PreambleMemory = MemoryEntry & { readonly id: string };

/** The memories of a store for a preamble: matches of the question, best first, then the newest. */
export async function preambleMemories(store: RecordStore, options: PreambleQuery): Promise<PreambleMemory[]> {
  const { limit, signal } = options;
  const matches = await matching(store, options);
  if (matches.length >= limit || !store.capabilities.enumerate) return matches;
  const { items } = await store.list({ limit: Math.min(limit, 1_000), ...(signal && { signal }) });
  return first(limit, [...matches, ...items.map(toEntry)]);
}

/**
 * The memories below a namespace, where they are stored per session. If several records have the same id, the
 * newest counts. Reads all of them.
 */
export async function preambleMemoriesBelow(
  store: RecordStore,
  parent: Namespace,
  options: PreambleQuery,
): Promise<PreambleMemory[]> {
  const { limit, signal } = options;
  const newest = new Map<string, { readonly record: MemoryRecord; readonly at: RecordStore }>();
  const stores = (await children(store, parent)).map(({ namespace }) => store.within(namespace));
  for (const at of stores) {
    for await (const record of allItems((page) => at.list({ ...page, ...(signal && { signal }) }))) {
      const other = newest.get(record.id)?.record;
      if (other === undefined || isNewer(record, other)) newest.set(record.id, { record, at });
    }
  }
  const lists = await Promise.all(
    stores.map(async (at) => (await matching(at, options)).filter(({ id }) => newest.get(id)?.at === at)),
  );
  const records = [...newest.values()].map(({ record }) => record).sort((a, b) => (isNewer(a, b) ? -1 : 1));
  return first(limit, [...reciprocalRankFusion(lists), ...records.map(toEntry)]);
}

/** Whether a record was updated later than another; on a tie, whether it was put more often. */
function isNewer(a: MemoryRecord, b: MemoryRecord): boolean {
  return a.updatedAt === b.updatedAt ? putCount(a.version) > putCount(b.version) : a.updatedAt > b.updatedAt;
}

async function matching(
  store: RecordStore,
  { question = '', limit, signal }: PreambleQuery,
): Promise<PreambleMemory[]> {
  const entries = await store.search(question, { maxSearchResults: limit, ...(signal && { signal }) });
  return entries.filter((entry): entry is PreambleMemory => entry.id !== undefined);
}

function toEntry({ id, content, metadata, createdAt, updatedAt, turn }: MemoryRecord): PreambleMemory {
  return { id, content, metadata, createdAt, updatedAt, ...(turn && { turn }) };
}

function first(limit: number, entries: readonly PreambleMemory[]): PreambleMemory[] {
  const byId = new Map<string, PreambleMemory>();
  for (const entry of entries) if (!byId.has(entry.id)) byId.set(entry.id, entry);
  return [...byId.values()].slice(0, limit);
}
