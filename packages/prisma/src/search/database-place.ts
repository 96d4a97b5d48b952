import { type RecordSearch, throwIfAborted } from '@keepsake/core/adapter';
import {
  type Corpus,
  type Pool,
  type PoolQuery,
  type RemoteWord,
  type SearchPlace,
  timeStretches,
} from '@keepsake/search/remote';
import { readCorpusStats } from '../stores/corpus-stats.ts';
import { compareMeaning, type Meaning, type QueryVector } from './compare-vectors.ts';
import { type Feature, featuresOf } from './features.ts';
import { readMatches } from './read-matches.ts';
import { countStatement } from './scoring-steps.ts';
import type { SearchContext } from './search-context.ts';
import { fetchEntries } from './search-records.ts';
import { poolSizeOf, type SearchRow, searchStatement } from './search-statement.ts';

/** What all namespaces share in a search. */
interface Shared {
  /** The database's time. */
  readonly now: Date;
  /** `undefined` without an embedder. */
  readonly queried: QueryVector | undefined;
}

interface CountRow {
  readonly feature: unknown;
  readonly records: unknown;
}

/** A namespace of a database that is searched together with others. */
export class DatabasePlace implements SearchPlace {
  readonly #context: SearchContext;
  readonly #search: RecordSearch;
  readonly #shared: Shared;
  /** Set by {@link corpus}, which comes first. */
  #meaning: Meaning | undefined;

  constructor(context: SearchContext, search: RecordSearch, shared: Shared) {
    this.#context = context;
    this.#search = search;
    this.#shared = shared;
  }

  async corpus(): Promise<Corpus> {
    const { queried } = this.#shared;
    const { limit, signal } = this.#search;
    const database = await this.#context.database();
    const [{ lengths, languages, speakers }, meaning] = await Promise.all([
      readCorpusStats(database, this.#context.namespace, signal),
      queried && compareMeaning(this.#context, queried, this.#search, poolSizeOf(limit)),
    ]);
    this.#meaning = meaning;
    return { lengths, languages, speakers, cosines: meaning?.cosines };
  }

  async counts(words: readonly RemoteWord[]): Promise<number[][]> {
    const database = await this.#context.database();
    const features = words.map(featuresOf);
    const statement = countStatement(database.dialect, this.#context.namespace, features.flat());
    const rows = await database.readRows<CountRow>(statement, this.#search.signal);
    const counts = new Map(rows.map(({ feature, records }) => [Number(feature), Number(records)]));
    let index = 0;
    return features.map((ofWord) => ofWord.map(() => counts.get(index++) ?? 0));
  }

  async pool({ words, worths, norm, size }: PoolQuery): Promise<Pool> {
    const { query, rules, signal } = this.#search;
    const database = await this.#context.database();
    const statement = searchStatement(database.dialect, {
      namespace: this.#context.namespace,
      features: worths.map(({ word, group }) => featuresOf(words[word] as RemoteWord)[group] as Feature),
      worths: { kind: 'given', worths: worths.map(({ worth }) => worth) },
      norm,
      rules,
      times: timeStretches(query, this.#shared.now),
      poolSize: size,
      meaning: this.#meaning,
    });
    const [row] = await database.readRows<SearchRow>(statement, signal);
    throwIfAborted(signal);
    const { matches, records } = readMatches(row, Array.from(worths.keys()));
    return {
      matches,
      entries: (hits, found) => fetchEntries(this.#context, { hits, records, words: found }, this.#search),
    };
  }
}
