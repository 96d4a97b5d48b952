import type { RecordSearch } from '@keepsake/core/adapter';
import { embed, type VectorComparison } from '@keepsake/search';
import type { RemoteMatch } from '@keepsake/search/remote';
import { writeRules } from '../stores/filter-rules.ts';
import type { Records } from '../stores/records.ts';
import { filterDocuments } from './passing-documents.ts';
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

/** How many of the nearest documents are filtered first. */
const FIRST_STEP = 1_000;

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
  let documents = nearest(FIRST_STEP);
  const filter = writeRules(rules);
  const passing = await filterDocuments(records, filter, documents, size, signal);
  if (passing.length < size && documents.length === FIRST_STEP) {
    documents = nearest(Infinity).slice(FIRST_STEP);
    passing.push(...(await filterDocuments(records, filter, documents, size - passing.length, signal)));
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
