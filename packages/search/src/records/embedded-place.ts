import type { MemoryEntry } from '@keepsake/core';
import type { RecordSearch } from '@keepsake/core/adapter';
import type { Language } from '../languages/language.ts';
import type { FoundWord } from '../lexical/matching.ts';
import type { RemoteWord } from '../remote/remote-query.ts';
import type { Corpus, Pool, PoolHit, PoolQuery, SearchPlace } from '../tree/search-place.ts';
import { type RecordView, readInSteps, type SearchedPlace, searchInSteps } from './record-space.ts';
import type { TableSearch } from './record-table.ts';
import type { SearchSteps } from './search-steps.ts';
import { type StoredRecord, toEntry } from './stored-record.ts';

/** A namespace that is searched together with others. */
export class EmbeddedPlace implements SearchPlace {
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

  counts(words: readonly RemoteWord[]): Promise<number[][]> {
    return this.#place.read((table) => table.counts(words));
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
    const found = hits.map(({ match }) => ids[match] as string);
    const read = (record: StoredRecord, place: number) => toEntry(record, hits[place] as PoolHit, searched);
    return readInSteps(this.#place, (table) => table.foundStep(found, this.#search.rules, read), this.#search.signal);
  }
}
