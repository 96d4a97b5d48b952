import type { RecordSearch } from '@keepsake/core/adapter';
import { embed, type VectorComparison, type VectorHit } from '@keepsake/search';
import { nearestInSteps, type RemoteMatch } from '@keepsake/search/remote';
import { writeRules } from '../stores/filter-rules.ts';
import type { Records } from '../stores/records.ts';
import { documentsWithValue, filterDocuments } from './passing-documents.ts';
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

/** How many of the nearest documents are filtered first, and how many in each step after that: sorting all takes long. */
const FIRST_STEP = 1_000;
const NEXT_STEP = 10_000;

/** The documents that pass the filter and have the nearest vectors, nearest first; see {@link packDocuments}. */
export async function findNearest(
  records: Records,
  search: RecordSearch,
  { meaning, size, fields, holdsExpired }: NearestOptions,
): Promise<Buffer> {
  if (meaning === undefined) return Buffer.alloc(0);
  const { rules, signal } = search;
  const keysOf = (hits: readonly VectorHit<number>[]) => hits.map(({ key }) => key);
  if (rules.length === 0 && !holdsExpired) {
    return packDocuments(keysOf(await nearestInSteps(meaning(), { limit: size }, signal)));
  }
  const passing: number[] = [];
  let wanted: ReadonlySet<number> | undefined;
  let last: VectorHit<number> | undefined;
  for (let limit = FIRST_STEP; passing.length < size; limit = NEXT_STEP) {
    const filter = wanted && ((document: number) => wanted?.has(document) ?? true);
    const near = await nearestInSteps(meaning(), { limit, filter, after: last }, signal);
    passing.push(...(await filterDocuments(records, writeRules(rules), keysOf(near), size - passing.length, signal)));
    if (near.length < limit) break;
    // The first step is mostly enough.
    if (last === undefined) wanted = setOf(await documentsWithValue(records, search, fields));
    last = near.at(-1);
  }
  return packDocuments(passing);
}

function setOf(documents: readonly number[] | undefined): ReadonlySet<number> | undefined {
  return documents && new Set(documents);
}

interface NearestOptions {
  readonly meaning: Meaning | undefined;
  /** How many documents. */
  readonly size: number;
  /** See `fieldsFor`. */
  readonly fields: string;
  readonly holdsExpired: boolean;
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
