import { type MemoryEntry, matchesFilter, throwIfAborted } from '@keepsake/core';
import {
  embed,
  entryOf,
  type FoundWord,
  HOSTED_POOL,
  type HostedHit,
  type HostedSearch,
  type HostedWord,
  hostedQuery,
  rankHosted,
  type VectorComparison,
} from '@keepsake/search';
import { fetchDocuments } from './fetch-documents.ts';
import { writeRules } from './filter-rules.ts';
import { otherAnalysis } from './other-analysis.ts';
import type { Records } from './records.ts';
import type { ScriptArgument } from './redis-client.ts';
import { PASSING, SEARCH } from './search-lua.ts';
import { type Pool, readSearchReply } from './search-reply.ts';
import { writeTimes } from './write-times.ts';

/** The records that fit, best first. */
export async function searchRecords(records: Records, search: HostedSearch): Promise<MemoryEntry[]> {
  const meaning = await compareMeaning(records, search);
  const found = await findPool(records, search, meaning);
  return fetchEntries(records, found, rank(found, search, meaning), search);
}

/** How near all documents are to the query by their vectors, as of the last update of the copy. */
type Meaning = () => VectorComparison<number>;

async function compareMeaning(
  { embedder, vectors }: Records,
  { query, signal }: HostedSearch,
): Promise<Meaning | undefined> {
  if (embedder === undefined || vectors === undefined) return undefined;
  const [[vector]] = await Promise.all([embed(embedder, [query], signal), vectors.update()]);
  throwIfAborted(signal);
  return vectors.compare(vector as Float32Array);
}

interface Found {
  readonly pool: Pool;
  /** The words of the query that any document has, the highest worth first. */
  readonly words: readonly FoundWord[];
  readonly now: Date;
}

async function findPool(records: Records, search: HostedSearch, meaning: Meaning | undefined): Promise<Found> {
  const { query, limit, rules, signal } = search;
  const now = new Date();
  const size = Math.max(HOSTED_POOL.size, HOSTED_POOL.sizePerHit * limit);
  const times = writeTimes(query, now);
  let swept: '' | 'swept' | 'not swept' = '';
  let nearest: Buffer | undefined;
  for (;;) {
    nearest ??= await findNearest(records, search, meaning, size, swept === 'not swept');
    throwIfAborted(signal);
    const { held } = records;
    const words = hostedQuery(query, held, records.language);
    const reply = readSearchReply(
      await records.run(SEARCH, [
        ...[records.analysis, swept, held.join(), size, HOSTED_POOL.around, writeRules(rules)],
        ...[meaning === undefined ? '' : '1', nearest, ...times],
        ...[words.length, ...words.flatMap(writeWord)],
      ]),
    );
    throwIfAborted(signal);
    if (reply.is === 'ANALYSIS') throw otherAnalysis(reply.name, records.analysis);
    if (reply.is === 'HELD') records.held = reply.languages;
    else if (reply.is === 'DUE') {
      swept = await trySweeping(records);
      // What has expired no longer counts for how near the others are.
      await records.vectors?.update();
      nearest = undefined;
    } else {
      const found = reply.worths.map(({ word, worth }) => ({ forms: words[word]?.forms ?? [], worth }));
      return { pool: reply, words: found, now };
    }
  }
}

/** A search that can't sweep goes on: a user who may not write, and a replica, can still search. */
async function trySweeping(records: Records): Promise<'swept' | 'not swept'> {
  return records.sweep().then(
    () => 'swept',
    () => 'not swept',
  );
}

/** How many documents the server filters in one step, during which it does nothing else. */
const FILTER_STEP = 1_000;

/** The documents that pass and whose vectors are nearest, nearest first: four bytes each. */
async function findNearest(
  records: Records,
  { rules, signal }: HostedSearch,
  meaning: Meaning | undefined,
  size: number,
  holdsExpired: boolean,
): Promise<Buffer> {
  if (meaning === undefined) return Buffer.alloc(0);
  const nearest = (limit: number) =>
    meaning()
      .nearest({ limit })
      .map(({ key }) => key);
  if (rules.length === 0 && !holdsExpired) return pack(nearest(size));
  // The first step is mostly enough, and sorting all documents takes long.
  let documents = nearest(FILTER_STEP);
  const passing: number[] = [];
  for (let from = 0; from < documents.length && passing.length < size; from += FILTER_STEP) {
    const step = pack(documents.slice(from, from + FILTER_STEP));
    const found = await records.run(PASSING, [writeRules(rules), size - passing.length, step]);
    throwIfAborted(signal);
    passing.push(...(found as number[]));
    if (from === 0 && documents.length === FILTER_STEP) documents = nearest(Infinity);
  }
  return pack(passing);
}

function pack(documents: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * documents.length);
  for (const [place, document] of documents.entries()) bytes.writeUInt32BE(document, 4 * place);
  return bytes;
}

function writeWord({ forms, terms, weight, related }: HostedWord): ScriptArgument[] {
  const names = forms.map(({ term }) => term);
  return [
    weight,
    ...writeList(terms),
    ...writeList(names),
    related.length,
    ...related.flatMap(({ weight, terms }) => [weight, ...writeList(terms)]),
  ];
}

function writeList(texts: readonly string[]): ScriptArgument[] {
  return [texts.length, ...texts];
}

function rank(
  { pool, words, now }: Found,
  { query, limit, minScore, explain }: HostedSearch,
  meaning: Meaning | undefined,
): HostedHit[] {
  const { documents, speakers, variety } = pool;
  const options = { limit, minScore, explain, now };
  if (meaning === undefined) return rankHosted(query, { words, matches: pool.matches, speakers, variety }, options);
  const cosines = meaning();
  const matches = pool.matches.map((match, place) => {
    const document = documents[place];
    return document === undefined ? match : { ...match, cosine: cosines.scoreOf(document) };
  });
  return rankHosted(query, { words, matches, speakers, variety, cosines }, options);
}

/** Leaves out records that were deleted, or no longer pass the filter, in the meantime. */
async function fetchEntries(
  records: Records,
  { pool, words }: Found,
  ranked: readonly HostedHit[],
  { rules, signal }: HostedSearch,
): Promise<MemoryEntry[]> {
  const hits = ranked.map(({ match, ...hit }) => ({ document: pool.documents[match] as number, ...hit }));
  const found = await fetchDocuments(
    records,
    hits.map(({ document }) => document),
  );
  throwIfAborted(signal);
  const searched = { words, language: records.language };
  return hits.flatMap(({ document, ...hit }) => {
    const stored = found.get(document);
    if (stored === undefined || !matchesFilter(rules, stored.record)) return [];
    return [entryOf(stored.record, hit, searched)];
  });
}
