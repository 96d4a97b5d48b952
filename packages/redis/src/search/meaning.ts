import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import { embed, type VectorComparison } from '@keepsake/search';
import type { RemoteMatch } from '@keepsake/search/remote';
import { PASSING } from '../lua/search/search.ts';
import { writeRules } from '../stores/filter-rules.ts';
import type { Records } from '../stores/records.ts';
import { packDocuments } from './search-arguments.ts';
import type { FoundDocuments } from './search-reply.ts';

/** How near all vectors are to the one of the query, as of the last update of the replica. */
export type Meaning = () => VectorComparison<number>;

/** The vector of the query, if there is an embedder. */
export async function embedQuery(
  { embedder }: Records,
  { query, signal }: RecordSearch,
): Promise<Float32Array | undefined> {
  if (embedder === undefined) return undefined;
  const [vector] = await embed(embedder, [query], signal);
  return vector;
}

/** How many documents one script filters. The server serves nobody else meanwhile. */
const FILTER_STEP = 1_000;

/** The documents that pass the filter and have the nearest vectors, nearest first; see {@link packDocuments}. */
export async function findNearest(
  records: Records,
  { rules, signal }: RecordSearch,
  meaning: Meaning | undefined,
  size: number,
  holdsExpired: boolean,
): Promise<Buffer> {
  if (meaning === undefined) return Buffer.alloc(0);
  const nearest = (limit: number) =>
    meaning()
      .nearest({ limit })
      .map(({ key }) => key);
  if (rules.length === 0 && !holdsExpired) return packDocuments(nearest(size));
  // The first step is mostly enough, and sorting all documents takes long.
  let documents = nearest(FILTER_STEP);
  const passing: number[] = [];
  for (let from = 0; from < documents.length && passing.length < size; from += FILTER_STEP) {
    const step = packDocuments(documents.slice(from, from + FILTER_STEP));
    const found = await records.run(PASSING, [writeRules(rules), size - passing.length, step]);
    throwIfAborted(signal);
    passing.push(...(found as number[]));
    if (from === 0 && documents.length === FILTER_STEP) documents = nearest(Infinity);
  }
  return packDocuments(passing);
}

/** The matches with the cosines of their vectors. */
export function withCosines(
  { matches, documents }: FoundDocuments,
  meaning: Meaning | undefined,
): readonly RemoteMatch[] {
  if (meaning === undefined) return matches;
  const cosines = meaning();
  return matches.map((match, n) => {
    const document = documents[n]?.document;
    return document === undefined ? match : { ...match, cosine: cosines.scoreOf(document) };
  });
}
