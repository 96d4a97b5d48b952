import {
  type MemoryEntry,
  type MemoryRecord,
  type Namespace,
  type RecordStore,
  reciprocalRankFusion,
} from '@keepsake/core';
import { allOf } from './pages.ts';
import { children } from './tree.ts';

/** What to look for. */
export interface KnownOptions {
  /** What the user asks: what fits it comes first. Without it, the newest comes first. */
  readonly question?: string | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

type Known = MemoryEntry & { readonly id: string };

/** What is known at a place: what fits the question, best first, then the newest. */
export async function knownAt(place: RecordStore, options: KnownOptions): Promise<Known[]> {
  const { limit, signal } = options;
  const found = await fitting(place, options);
  if (found.length >= limit || !place.capabilities.enumerate) return found;
  const { items } = await place.list({ limit: Math.min(limit, 1_000), ...(signal && { signal }) });
  return first(limit, [...found, ...items.map(toEntry)]);
}

/**
 * What is known below a place, where an older layout has kept it for each session. Of several records of one id the newest
 * counts. Reads all of them: migrate what is to stay.
 */
export async function knownBelow(store: RecordStore, parent: Namespace, options: KnownOptions): Promise<Known[]> {
  const { limit, signal } = options;
  const newest = new Map<string, { readonly record: MemoryRecord; readonly at: RecordStore }>();
  const places = (await children(store, parent)).map(({ namespace }) => store.within(namespace));
  for (const at of places) {
    for await (const record of allOf((page) => at.list({ ...page, ...(signal && { signal }) }))) {
      const known = newest.get(record.id)?.record;
      if (known === undefined || isNewer(record, known)) newest.set(record.id, { record, at });
    }
  }
  const lists = await Promise.all(
    places.map(async (at) => (await fitting(at, options)).filter(({ id }) => newest.get(id)?.at === at)),
  );
  const records = [...newest.values()].map(({ record }) => record).sort((a, b) => (isNewer(a, b) ? -1 : 1));
  return first(limit, [...reciprocalRankFusion(lists), ...records.map(toEntry)]);
}

/** Whether a record was changed later than another; of two of one moment, whichever has changed more often. */
export function isNewer(a: MemoryRecord, b: MemoryRecord): boolean {
  return a.updatedAt === b.updatedAt ? a.version > b.version : a.updatedAt > b.updatedAt;
}

async function fitting(place: RecordStore, { question = '', limit, signal }: KnownOptions): Promise<Known[]> {
  const found = await place.search(question, { maxSearchResults: limit, ...(signal && { signal }) });
  return found.filter((entry): entry is Known => entry.id !== undefined);
}

function toEntry({ id, content, metadata, createdAt, updatedAt, turn }: MemoryRecord): Known {
  return { id, content, metadata, createdAt, updatedAt, ...(turn && { turn }) };
}

function first(limit: number, entries: readonly Known[]): Known[] {
  const byId = new Map<string, Known>();
  for (const entry of entries) if (!byId.has(entry.id)) byId.set(entry.id, entry);
  return [...byId.values()].slice(0, limit);
}
