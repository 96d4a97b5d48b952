import type { RecordSearch } from '@keepsake/core/adapter';
import { BlockScorer, countOf, type PlacesByBlock, type Scored, TopK, WorkSteps } from '@keepsake/search/remote';
import type { Database } from '../database/database.ts';
import { BLOCK_WORDS, catchUp } from '../stores/pack-words.ts';
import type { Document } from './documents.ts';
import type { WeighedFeature } from './features.ts';
import { indexedValue } from './indexed-value.ts';
import { timeFactorOf } from './named-stretches.ts';
import { placesOf, readPackedOnSqlite, readState } from './packed-on-sqlite.ts';
import { type PackedQuery, type PackedWords, readPackedWords } from './packed-words.ts';
import { rankIndexed, readKnown, seqsOf } from './passing-records.ts';

/** A smaller namespace is searched without blocks. */
const LEAST = { records: 4_096, words: 2 * BLOCK_WORDS };
/**
 * How many of the best records are tried, one after another, until enough pass a filter or no other can be better by its
 * date. After the last ones on PostgreSQL, the database looks for them; on SQLite, all others are tried.
 */
const TRIED = [256, 1_792, 6_144] as const;
const TRIED_NEXT = 4_096;

/** The database reads this many records with a word as fast as the best of them are tried. */
const FEW = 2_000;

export interface PackedPool {
  /** Of each feature; 0 if no record has it. */
  readonly worths: readonly number[];
  /** The best records by words and times, among all and among those that pass the filter. */
  readonly best: readonly Document[];
  /** Which places in blocks `best` means, if places can change. If they are others by now, `best` is of no use. */
  readonly places: string | undefined;
}

/**
 * Finds the best records of a large namespace from its blocks. `undefined` if it has none, or if so few of the best records
 * pass the filter that the database must look for them.
 */
export async function findPacked(
  database: Database,
  query: PackedQuery,
  search: RecordSearch,
): Promise<PackedPool | undefined> {
  const { features, records, norm } = query;
  const isSmall = records < LEAST.records && records * norm.average < LEAST.words;
  if (isSmall || features.length === 0) return undefined;
  const steps = new WorkSteps(search.signal);
  const packed = await readPacked(database, query, steps, search.signal);
  if (packed === undefined) return undefined;
  const worths = features.map((feature, n) => worthOf(feature, countOf(packed.features[n] ?? new Map()), records));
  const best = await new PackedFinder(database, query, search, packed, worths, steps).best();
  return best && { worths, best, places: packed.places };
}

/** Reads the blocks, if they are of use. If they are missing, writes one. */
async function readPacked(
  database: Database,
  { namespace, features }: PackedQuery,
  steps: WorkSteps,
  signal: AbortSignal | undefined,
): Promise<PackedWords | undefined> {
  let packed: PackedWords | undefined;
  if (database.dialect === 'postgresql') packed = await readPackedWords(database, namespace, features, signal);
  else {
    const { isRare, isPacked } = await readState(database, namespace, features, signal);
    if (isRare) return undefined;
    if (isPacked) packed = await readPackedOnSqlite(database, namespace, features, steps, signal);
  }
  if (packed === undefined) await catchUp(database, namespace);
  return packed;
}

/** As the statement that counts computes it. */
function worthOf({ weight, atLeast }: WeighedFeature, count: number, records: number): number {
  if (count === 0) return 0;
  const matching = Math.max(atLeast, count);
  return weight * Math.log(1 + (Math.max(records - matching, 0) + 0.5) / (Math.min(matching, records) + 0.5));
}

class PackedFinder {
  readonly #database: Database;
  readonly #query: PackedQuery;
  readonly #search: RecordSearch;
  readonly #packed: PackedWords;
  readonly #worths: readonly number[];
  readonly #scorer: BlockScorer;
  readonly #steps: WorkSteps;

  constructor(
    database: Database,
    query: PackedQuery,
    search: RecordSearch,
    packed: PackedWords,
    worths: readonly number[],
    steps: WorkSteps,
  ) {
    this.#database = database;
    this.#query = query;
    this.#search = search;
    this.#packed = packed;
    this.#worths = worths;
    const words = worths.map((worth, n) => ({ worth, postings: packed.features[n] ?? new Map() }));
    this.#scorer = new BlockScorer(
      words.toSorted((a, b) => b.worth - a.worth),
      query.norm,
    );
    this.#steps = steps;
  }

  async best(): Promise<Document[] | undefined> {
    const { times, poolSize } = this.#query;
    const byWords = await this.#scorer.best(poolSize, this.#steps);
    const all = byWords.map(({ id }) => this.#packed.documentOf(id));
    // These are all records with a word of the query.
    if (all.length < poolSize) return all;
    // Of so few, the database finds those that pass in one statement.
    const isNarrowed = times.length + this.#search.rules.length > 0;
    if (isNarrowed && this.#isPostgres && this.#matching <= FEW && !this.#isIndexed) return undefined;
    const best = times.length === 0 ? all : await this.#tryBest(false);
    const passing = this.#search.rules.length === 0 ? [] : ((await this.#bestIndexed()) ?? (await this.#tryBest(true)));
    return best && passing && [...best, ...passing];
  }

  get #isPostgres(): boolean {
    return this.#database.dialect === 'postgresql';
  }

  /** How many records have a word of the query; some count more than once. */
  get #matching(): number {
    return this.#packed.features.reduce((sum, postings) => sum + countOf(postings), 0);
  }

  get #isIndexed(): boolean {
    return indexedValue(this.#query.indexed, this.#search.rules) !== undefined;
  }

  /** The best that pass, from the index of a field; `undefined` if none serves the filter, or if it leads to too many. */
  async #bestIndexed(): Promise<Document[] | undefined> {
    const { indexed, times, poolSize } = this.#query;
    const value = indexedValue(indexed, this.#search.rules);
    const seqs = value && (await seqsOf(this.#database, this.#query, this.#search, value));
    if (seqs === undefined) return undefined;
    // On SQLite, the number of a record is its document.
    if (!this.#isPostgres) return this.#tryBest(true, this.#ranked(placesOf(seqs)));
    const scored = await rankIndexed(this.#database, { ...this.#query, worths: this.#worths }, this.#search, seqs);
    const top = new TopK(poolSize);
    for (const { seq, score, time } of scored) top.offer(seq, score * timeFactorOf(times, time), seq);
    return top.kept.map(({ id }) => ({ seq: id }));
  }

  /** Gives the best of all records, or of some documents. */
  #ranked(among?: PlacesByBlock): NextBest {
    let after: Scored | undefined;
    return async (size) => {
      const best = await this.#scorer.best(size, this.#steps, { after, among });
      after = best.at(-1);
      return best;
    };
  }

  /** Tries the best by words, more and more of them; `undefined` if that is not enough. */
  async #tryBest(mustPass: boolean, next = this.#ranked()): Promise<Document[] | undefined> {
    const { times, poolSize } = this.#query;
    const highest = 1 + Math.max(0, ...times.map(({ gain }) => gain));
    const top = new TopK(poolSize);
    for (let n = 0; n < TRIED.length || !this.#isPostgres; n++) {
      const size = TRIED[n] ?? TRIED_NEXT;
      const best = await next(size);
      const known = await this.#readKnown(best);
      for (const [n, { id, score }] of best.entries()) {
        const { passes, time } = known.get(n) ?? { passes: false, time: 0 };
        if (passes || !mustPass) top.offer(id, score * timeFactorOf(times, time), id);
      }
      const isFull = top.kept.length === poolSize;
      // No other one can be better than the worst kept one.
      const isEnough = isFull && (highest === 1 || (best.at(-1)?.score ?? 0) * highest < top.floor);
      if (isEnough || best.length < size) return top.kept.map(({ id }) => this.#packed.documentOf(id));
    }
    return undefined;
  }

  #readKnown(best: readonly Scored[]): ReturnType<typeof readKnown> {
    const documents = best.map(({ id }) => this.#packed.documentOf(id));
    return readKnown(this.#database, this.#query.namespace, documents, this.#search, this.#steps);
  }
}

/** Gives the next best records by words, fewer than asked for if there are no more. */
type NextBest = (size: number) => Promise<readonly Scored[]>;
