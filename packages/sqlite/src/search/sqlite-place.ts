import type { MemoryEntry, Namespace } from '@keepsake/core';
import { matchesFilter, type RecordSearch } from '@keepsake/core/adapter';
import { LATIN_LANGUAGES, type LatinLanguage, type VectorComparison } from '@keepsake/search';
import {
  type BlockPostings,
  type Corpus,
  compareInSteps,
  countOf,
  entryOf,
  type FoundWord,
  namedTimes,
  type Pool,
  type PoolHit,
  type PoolQuery,
  type RemoteWord,
  remoteAnalysis,
  type SearchPlace,
  WorkSteps,
} from '@keepsake/search/remote';
import type { Connection } from '../database/connection.ts';
import { otherAnalysis } from '../records/analysis.ts';
import { findNamespace, type NamespaceRow } from '../records/namespace-rows.ts';
import { LIVE, listOf, RECORD_COLUMNS, type RecordRow, readRow } from '../records/record-rows.ts';
import type { RecordsOptions } from '../records/records-options.ts';
import { findPool } from './find-pool.ts';
import { readPostings } from './query-postings.ts';
import type { VectorCopy } from './vector-copy.ts';

/** What a namespace is searched with. */
export interface PlaceOptions extends RecordsOptions {
  readonly vectors: VectorCopy | undefined;
}

const NOTHING: Corpus = {
  lengths: { documents: 0, total: 0, squares: 0 },
  languages: new Map(),
  speakers: new Map(),
};

/** A namespace that is searched, alone or together with others. */
export class SqlitePlace implements SearchPlace {
  readonly #namespace: Namespace;
  readonly #search: RecordSearch;
  readonly #vector: Float32Array | undefined;
  readonly #now: Date;
  readonly #options: PlaceOptions;
  #row: NamespaceRow | undefined;
  #postings: readonly (readonly BlockPostings[])[] = [];
  #compared: VectorComparison<number> | undefined;

  constructor(
    namespace: Namespace,
    search: RecordSearch,
    vector: Float32Array | undefined,
    now: Date,
    options: PlaceOptions,
  ) {
    this.#namespace = namespace;
    this.#search = search;
    this.#vector = vector;
    this.#now = now;
    this.#options = options;
  }

  async corpus(): Promise<Corpus> {
    const { database, vectors } = this.#options;
    const steps = new WorkSteps(this.#search.signal);
    for (;;) {
      const corpus = await database.snapshot((connection) => {
        this.#row = findNamespace(connection, this.#namespace);
        if (this.#row === undefined) return NOTHING;
        const isKnown = this.#vector === undefined || vectors === undefined || vectors.readNext(connection, this.#row);
        return isKnown ? this.#corpus(connection, this.#row) : undefined;
      });
      if (corpus !== undefined) return { ...corpus, cosines: await this.#compare() };
      if (steps.isDue) await steps.pause();
    }
  }

  counts(words: readonly RemoteWord[]): Promise<number[][]> {
    return this.#options.database.snapshot((connection) => {
      this.#postings = readPostings(connection, this.#row?.namespace ?? 0, words);
      return this.#postings.map((groups) => groups.map(countOf));
    });
  }

  async pool(query: PoolQuery): Promise<Pool> {
    const { query: text, rules, signal } = this.#search;
    const { matches, documents } = await findPool(this.#options.database, this.#row?.namespace ?? 0, {
      ...{ query, postings: this.#postings, rules, compared: this.#compared, signal },
      indexed: this.#options.indexed,
      times: namedTimes(text, this.#now),
    });
    return { matches, entries: (hits, words) => this.#entries(hits, words, documents) };
  }

  #corpus(connection: Connection, row: NamespaceRow): Corpus {
    const { language } = this.#options;
    const own = remoteAnalysis(language);
    if (row.analysis !== null && row.analysis !== own && row.document_count > 0) throw otherAnalysis(row.analysis, own);
    const sql = 'SELECT kind, name, documents FROM keepsake_counts WHERE namespace = ?';
    const counts = connection.all<{ kind: string; name: string; documents: number }>(sql, row.namespace);
    const ofKind = (kind: string) =>
      new Map(counts.filter((one) => one.kind === kind).map(({ name, documents }) => [name, documents]));
    const languages = ofKind('language');
    return {
      lengths: { documents: row.document_count, total: row.total_length, squares: row.total_squares },
      languages: new Map(
        LATIN_LANGUAGES.flatMap((name): [LatinLanguage, number][] => {
          const count = languages.get(name);
          return count === undefined ? [] : [[name, count]];
        }),
      ),
      speakers: ofKind('speaker'),
    };
  }

  async #compare(): Promise<VectorComparison<number> | undefined> {
    const { vectors } = this.#options;
    if (this.#row === undefined || this.#vector === undefined || vectors === undefined) return undefined;
    this.#compared = await compareInSteps(vectors.comparing(this.#vector), this.#search.signal);
    return this.#compared;
  }

  #entries(
    hits: readonly PoolHit[],
    words: readonly FoundWord[],
    documents: readonly number[],
  ): Promise<(MemoryEntry | undefined)[]> {
    const sql = `SELECT ${RECORD_COLUMNS} FROM keepsake_records
      WHERE namespace = ? AND document IN (SELECT value FROM json_each(?)) AND ${LIVE}`;
    const wanted = listOf(hits.map(({ match }) => documents[match] as number));
    const searched = { words, language: this.#options.language };
    return this.#options.database.read((connection) => {
      // Some rows of a namespace that was cleared meanwhile can still be there.
      if (findNamespace(connection, this.#namespace)?.namespace !== this.#row?.namespace)
        return hits.map(() => undefined);
      const rows = connection.all<RecordRow>(sql, this.#row?.namespace ?? 0, wanted, Date.now());
      const records = new Map(rows.map((row) => [row.document, readRow(row)]));
      return hits.map(({ match, ...hit }) => {
        const record = records.get(documents[match] as number);
        const passes = record !== undefined && matchesFilter(this.#search.rules, record);
        return passes ? entryOf(record, hit, searched) : undefined;
      });
    });
  }
}
