import type { MemoryEntry } from '@keepsake/core';
import type { RecordSearch } from '@keepsake/core/adapter';
import type { Language } from '../languages/language.ts';
import type { HeldWord } from '../lexical/inside-words.ts';
import type { FoundWord } from '../lexical/matching.ts';
import type { SimilarTerm } from '../lexical/term-grams.ts';
import { type RecordView, readInSteps, type SearchedPlace, searchInSteps } from '../records/record-space.ts';
import type { TableSearch } from '../records/record-table.ts';
import type { SearchSteps } from '../records/search-steps.ts';
import { type StoredRecord, toEntry } from '../records/stored-record.ts';
import type { Corpus, Pool, PoolHit, PoolQuery } from './search-place.ts';
import type { TreeWord } from './tree-words.ts';

/** A namespace that is searched together with others, so that the entries of all compare. */
export class TreePlace {
  readonly #place: SearchedPlace;
  readonly #search: RecordSearch & TableSearch;
  readonly #language: Language | undefined;

  constructor(place: SearchedPlace, search: RecordSearch & TableSearch, language: Language | undefined) {
    this.#place = place;
    this.#search = search;
    this.#language = language;
  }

  async corpus(): Promise<Corpus> {
    await this.#place.follow?.();
    const step = (table: RecordView, steps: SearchSteps) => table.corpusStep(this.#search, steps);
    return searchInSteps(this.#place, step, this.#search.signal);
  }

  /**
   * How many documents have each word: of each word its own count, then, for each of its groups of related terms, the total
   * of the counts of its terms.
   */
  counts(words: readonly TreeWord[]): Promise<number[][]> {
    return this.#place.read((table) => table.counts(words));
  }

  /** The terms that have parts in common with each word: see `LexicalIndex.similarTerms`. */
  similarTerms(words: readonly HeldWord[]): Promise<SimilarTerm[][]> {
    return readInSteps(this.#place, (table) => table.similarStep(words), this.#search.signal);
  }

  async pool(query: PoolQuery): Promise<Pool> {
    const step = (table: RecordView, steps: SearchSteps) => table.poolStep(this.#search, query, steps);
    const { matches, ids } = await searchInSteps(this.#place, step, this.#search.signal);
    return { matches, entries: (hits, words) => this.#entries(hits, words, ids) };
  }

  #entries(
    hits: readonly PoolHit[],
    words: readonly FoundWord[],
    ids: readonly string[],
  ): Promise<(MemoryEntry | undefined)[]> {
    const searched = { words, language: this.#language };
    const hitIds = hits.map(({ match }) => ids[match] as string);
    const read = (record: StoredRecord, place: number) => toEntry(record, hits[place] as PoolHit, searched);
    return readInSteps(this.#place, (table) => table.foundStep(hitIds, this.#search.rules, read), this.#search.signal);
  }
}
