import type { Embedder, MemoryEntry, Namespace } from '@keepsake/core';
import { type IdentifiedRecord, type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import type { Language } from '../languages/language.ts';
import { analyseAhead } from '../text/analyse-ahead.ts';
import { searchTree } from '../tree/search-tree.ts';
import { TreePlace } from '../tree/tree-place.ts';
import { embed } from '../vectors/embed.ts';
import { type SearchedPlace, searchInSteps } from './record-space.ts';
import type { TableSearch } from './record-table.ts';

/** How records are indexed and searched. */
export interface SearchOptions {
  readonly embedder: Embedder | undefined;
  readonly language: Language | undefined;
}

/** Searches the records of one namespace. */
export async function searchPlace(
  place: SearchedPlace,
  search: RecordSearch,
  options: SearchOptions,
): Promise<MemoryEntry[]> {
  const embedded = await withVector(search, options);
  await analyseAhead(search.query, options.language);
  await place.follow?.();
  const timed = { ...embedded, now: place.now?.() };
  return searchInSteps(place, (table, steps) => table.searchStep(timed, steps), search.signal);
}

/** Searches several namespaces as if they were one. */
export async function searchPlaces(
  namespaces: readonly Namespace[],
  open: (namespace: Namespace) => SearchedPlace,
  search: RecordSearch,
  options: SearchOptions,
): Promise<MemoryEntry[]> {
  const { language } = options;
  const [first] = namespaces as [Namespace];
  const place = open(first);
  // Its time is known once it has followed its backend.
  await place.follow?.();
  const now = place.now?.() ?? new Date();
  const embedded = { ...(await withVector(search, options)), now };
  return searchTree(namespaces, (one) => new TreePlace(open(one), embedded, language), search, { language, now });
}

async function withVector(search: RecordSearch, { embedder }: SearchOptions): Promise<RecordSearch & TableSearch> {
  if (embedder === undefined) return search;
  const [vector] = await embed(embedder, [search.query], search.signal);
  throwIfAborted(search.signal);
  return { ...search, vector: vector as Float32Array };
}

/** The vector of each record that search looks at. */
export async function vectorsOf(
  records: readonly IdentifiedRecord[],
  embedder: Embedder | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly (Float32Array | undefined)[]> {
  const texts = records.flatMap(({ index, content }) => (index ? [content] : []));
  if (embedder === undefined || texts.length === 0) return [];
  const vectors = await embed(embedder, texts, signal);
  return records.map(({ index }) => (index ? vectors.shift() : undefined));
}
