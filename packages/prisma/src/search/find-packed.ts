import type { RecordSearch } from '@keepsake/core/adapter';
import { BlockScorer, countOf, TopK, WorkSteps } from '@keepsake/search/remote';
import type { Database } from '../database/database.ts';
import { BLOCK_WORDS, catchUp } from '../stores/pack-words.ts';
import { type Document, documentOf } from './documents.ts';
import type { WeighedFeature } from './features.ts';
import { indexedValue } from './indexed-value.ts';
import { timeFactorOf } from './named-stretches.ts';
import { type PackedQuery, type PackedWords, readPackedWords } from './packed-words.ts';
import { rankIndexed, readKnown } from './passing-records.ts';

/** A smaller namespace is searched without blocks. */
const LEAST = { records: 4_096, words: 2 * BLOCK_WORDS };
/** How many of the best records are tried, until enough pass a filter or no other can be better by its date. */
const TRIED = [256, 2_048, 8_192] as const;

/** The database reads this many records with a word as fast as the best of them are tried. */
const FEW = 2_000;

export interface PackedPool {
  /** Of each feature; 0 if no record has it. */
  readonly worths: readonly number[];
  /** The best records by words and times, among all and among those that pass the filter. */
  readonly best: readonly Document[];
  /** Which places in blocks `best` means. If they are others by now, `best` is of no use. */
  readonly places: string;
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
  const { namespace, features, records, norm } = query;
  const isSmall = records < LEAST.records && records * norm.average < LEAST.words;
  if (database.dialect !== 'postgresql' || isSmall || features.length === 0) return undefined;
  const packed = await readPackedWords(database, namespace, features, search.signal);
  if (packed === undefined) {
    await catchUp(database, namespace);
    return undefined;
  }
  const worths = features.map((feature, n) => worthOf(feature, countOf(packed.features[n] ?? new Map()), records));
  const best = await new PackedFinder(database, query, search, packed, worths).best();
  return best && { worths, best, places: packed.places };
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
    this.#steps = new WorkSteps(search.signal);
  }

  async best(): Promise<Document[] | undefined> {
    const { times, poolSize } = this.#query;
    const byWords = await this.#scorer.best(poolSize, this.#steps);
    const all = byWords.map(({ id }) => documentOf(this.#packed, id));
    // These are all records with a word of the query.
    if (all.length < poolSize) return all;
    // Of so few, the database finds those that pass in one statement.
    const isNarrowed = times.length + this.#search.rules.length > 0;
    if (isNarrowed && this.#matching <= FEW && !this.#isIndexed) return undefined;
    const best = times.length === 0 ? all : await this.#tryBest(false);
    const passing = this.#search.rules.length === 0 ? [] : ((await this.#bestIndexed()) ?? (await this.#tryBest(true)));
    return best && passing && [...best, ...passing];
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
    if (value === undefined) return undefined;
    const scored = await rankIndexed(this.#database, { ...this.#query, worths: this.#worths }, this.#search, value);
    if (scored === undefined) return undefined;
    const top = new TopK(poolSize);
    for (const { seq, score, time } of scored) top.offer(seq, score * timeFactorOf(times, time), seq);
    return top.kept.map(({ id }) => ({ seq: id }));
  }

  /** Tries the best by words, more and more of them; `undefined` if that is not enough. */
  async #tryBest(mustPass: boolean): Promise<Document[] | undefined> {
    const { namespace, times, poolSize } = this.#query;
    const highest = 1 + Math.max(0, ...times.map(({ gain }) => gain));
    const top = new TopK(poolSize);
    let tried = 0;
    for (const size of TRIED) {
      const best = await this.#scorer.best(size, this.#steps);
      const next = best.slice(tried);
      tried = best.length;
      const documents = next.map(({ id }) => documentOf(this.#packed, id));
      const known = await readKnown(this.#database, namespace, documents, this.#search);
      for (const [n, { id, score }] of next.entries()) {
        const { passes, time } = known.get(n) ?? { passes: false, time: 0 };
        if (passes || !mustPass) top.offer(id, score * timeFactorOf(times, time), id);
      }
      const isFull = top.kept.length === poolSize;
      // No other one can be better than the worst kept one.
      const isEnough = isFull && (highest === 1 || (best.at(-1)?.score ?? 0) * highest < top.floor);
      if (isEnough || best.length < size) return top.kept.map(({ id }) => documentOf(this.#packed, id));
    }
    return undefined;
  }
}
