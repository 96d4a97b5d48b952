import { STEP_MS } from '@keepsake/internal';
import type { Matches, Matching } from '../lexical/matching.ts';
import type { ConversationSearchOptions } from '../ranking/conversation-ranking.ts';
import type { VectorComparison } from '../vectors/comparison.ts';
import type { NearestVectors } from '../vectors/nearest.ts';
import type { VectorHit } from '../vectors/slots.ts';
import type { VectorIndex } from '../vectors/vector-index.ts';
import type { BestPassing } from './best-passing.ts';
import { Clock } from './clock.ts';
import { type Filtered, FilterSteps } from './filter-steps.ts';

/** What a search finds by the vector of its query. */
interface Near {
  /** All vectors. */
  readonly compared: VectorComparison<number>;
  /** The nearest documents, or the nearest of those that pass the filter. */
  readonly nearest: readonly number[];
}

/** A search in a table. */
export interface Searched<T> {
  /** What the document numbers belong to now. */
  readonly numbering: object;
  /** Whether a search that takes several steps must wait for another one. */
  readonly isBusy: boolean;
  /** Looks up the words of the query. */
  match(): Matching;
  /** The documents to filter; missing without a filter. */
  readonly filtered?: Filtered | undefined;
  /** Starts to look for the best documents by words. */
  findBest(): BestPassing;
  /** The vector of the query and those to compare it with; missing without vectors. */
  readonly vectors?: readonly [query: Float32Array, all: VectorIndex<number>] | undefined;
  /** How many of the nearest documents are ranked. */
  readonly nearestCount: number;
  rank(
    matches: Matches,
    options: Pick<ConversationSearchOptions, 'best' | 'filter' | 'among'>,
    near: Near | undefined,
  ): T;
}

/** Ranking finds the best of this many documents itself. */
const FEW = 16_384;

/**
 * A search in steps, between which records can change: first the documents with a word of the query are scored and the vectors
 * compared, then they are filtered and ranked. It finds what is in the table at its last step. Must be ended, because it keeps
 * scores in between.
 */
export class SearchSteps {
  readonly #stepMs: number;
  readonly #filter = new FilterSteps();
  #matching: Matching | undefined;
  /** The best documents of all, and of those that pass. */
  #best: BestPassing | undefined;
  #bestPassing: BestPassing | undefined;
  #compared: VectorComparison<number> | undefined;
  #comparedIn: VectorIndex<number> | undefined;
  #nearest: NearestVectors<number> | undefined;
  #lastResult: { readonly table: object; readonly changes: number; readonly result: unknown } | undefined;

  /** @param stepMs - `Infinity` for a search in one step. */
  constructor(stepMs = STEP_MS) {
    this.#stepMs = stepMs;
  }

  /** Runs the next step. Returns the result of `rank`, or `undefined` if there must be another step. */
  next<T>(search: Searched<T>): T | undefined {
    const clock = new Clock(this.#stepMs);
    try {
      const matches = this.#match(search, clock);
      if (matches === undefined) return undefined;
      const { filtered, vectors } = search;
      if (vectors !== undefined && !this.compare(...vectors, clock)) return undefined;
      const best = this.#bestOf(search, matches, clock);
      if (best === undefined) return undefined;
      const ranked =
        filtered === undefined
          ? this.#ranked(search, matches, best, clock)
          : this.#rankedPassing(filtered, search, matches, best, clock);
      if (ranked !== undefined) this.end();
      return ranked;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /**
   * What `find` returned in an earlier step, if the table has not changed since: records of hits may have to be read, which needs
   * no other search.
   */
  once<T>(table: object, changes: number, find: () => T | undefined): T | undefined {
    const lastResult = this.#lastResult;
    if (lastResult?.table === table && lastResult.changes === changes) return lastResult.result as T;
    const result = find();
    this.#lastResult = result === undefined ? undefined : { table, changes, result };
    return result;
  }

  /** Gives up the search, unless it is complete. */
  end(): void {
    this.#matching?.end();
    this.#matching = undefined;
  }

  /** Compares vectors in the next step. Returns the comparison, or `undefined` if there must be another step. */
  compare(
    query: Float32Array,
    all: VectorIndex<number>,
    clock = new Clock(this.#stepMs),
  ): VectorComparison<number> | undefined {
    if (this.#comparedIn !== all) {
      this.#compared = all.comparing(query);
      this.#comparedIn = all;
      this.#nearest = undefined;
    }
    return this.#compared?.next(() => clock.isOverNow()) ? this.#compared : undefined;
  }

  #ranked<T>(search: Searched<T>, matches: Matches, best: Iterable<number>, clock: Clock): T | undefined {
    const compared = this.#compared;
    const nearest = this.#nearestOf(search)?.next(() => clock.isOverNow());
    if (compared === undefined) return search.rank(matches, { best }, undefined);
    return nearest && search.rank(matches, { best }, { compared, nearest: keysOf(nearest) });
  }

  #rankedPassing<T>(
    filtered: Filtered,
    search: Searched<T>,
    matches: Matches,
    best: Iterable<number>,
    clock: Clock,
  ): T | undefined {
    const compared = this.#compared;
    const finding = { clock, best: this.#passing(search), nearest: this.#nearestOf(search) };
    return this.#filter.next(filtered, matches, finding, (filter, among, nearestVectors) => {
      if (compared === undefined) return search.rank(matches, { best, filter, among }, undefined);
      const nearest = keysOf(nearestVectors ?? compared.nearestOf(among, { limit: search.nearestCount, filter }));
      return search.rank(matches, { best, filter, among }, { compared, nearest });
    });
  }

  #nearestOf<T>({ nearestCount }: Searched<T>): NearestVectors<number> | undefined {
    this.#nearest ??= this.#compared?.finding(nearestCount);
    return this.#nearest;
  }

  #bestOf<T>(search: Searched<T>, matches: Matches, clock: Clock): Iterable<number> | undefined {
    if (matches.documents.length <= FEW) return matches.documents;
    this.#best ??= search.findBest();
    return this.#best.next(matches, clock);
  }

  #passing<T>(search: Searched<T>): BestPassing {
    this.#bestPassing ??= search.findBest();
    return this.#bestPassing;
  }

  /** The next step to the matches; `undefined` if there must be another one. */
  #match<T>({ numbering, isBusy, match }: Searched<T>, clock: Clock): Matches | undefined {
    if (this.#matching?.numbering !== numbering) {
      this.end();
      if (isBusy && this.#stepMs !== Infinity) return undefined;
      this.#matching = match();
      this.#best = undefined;
      this.#bestPassing = undefined;
    }
    const matching = this.#matching as Matching;
    if (matching.isComplete) return matching.current();
    while (!matching.next()) if (clock.isOverNow()) return undefined;
    return clock.isOverNow() ? undefined : matching.current();
  }
}

function keysOf(hits: readonly VectorHit<number>[]): number[] {
  return hits.map(({ key }) => key);
}
