import { type FilterRule, type IndexedField, matchesFilter } from '@keepsake/core/adapter';
import type { VectorComparison, VectorHit } from '@keepsake/search';
import {
  type BlockPostings,
  BlockScorer,
  joinRuns,
  type NamedTime,
  nearestInSteps,
  type PlacesByBlock,
  type Pool,
  type PoolQuery,
  REMOTE_POOL,
  type RemoteMatch,
  type Scored,
  timeFactor,
  WorkSteps,
} from '@keepsake/search/remote';
import type { Database } from '../database/database.ts';
import { readyField } from '../records/index-fields.ts';
import { LIVE, listOf, RECORD_COLUMNS, type RecordRow, readRow } from '../records/record-rows.ts';
import { IndexedDocuments } from './indexed-documents.ts';

/** The most documents that are looked at for their times if the query names one. */
const MAX_DATED = 500;
/** If an index leads to at most this many documents, only they are scored. */
const FEW_INDEXED = 5_000;
/** The same limit if few of the best documents pass: reading this many from the index takes longer than trying the best. */
const MANY_INDEXED = 50_000;
/** How many times the best documents that are needed are tried first. */
const TRIED_FIRST = 2;
/** Fewer of them that pass are few. */
const FEW_PASSING = 1 / 4;
/** How many of the best documents are tried at a time, after the first ones. Sorting more would take too long. */
const TRIED_AT_ONCE = 4_096;
/** How many records are read at a time, to see whether they pass a filter. */
const READ_AT_ONCE = 250;

export interface PoolSearch {
  readonly query: PoolQuery;
  /** Of each word of the query its own postings, then those of its groups. */
  readonly postings: readonly (readonly BlockPostings[])[];
  readonly rules: readonly FilterRule[];
  readonly compared: VectorComparison<number> | undefined;
  /** The times that the query names. */
  readonly times: readonly NamedTime[];
  readonly signal: AbortSignal | undefined;
  /** The fields that filters have an index for. */
  readonly indexed: readonly IndexedField[];
}

interface FoundPool extends Pick<Pool, 'matches'> {
  /** The document of each match. */
  readonly documents: readonly number[];
}

/** Finds the documents of a namespace that may rank among the best, with the turns beside them. Works in steps. */
export function findPool(database: Database, namespace: number, search: PoolSearch): Promise<FoundPool> {
  return new PoolFinder(database, namespace, search).find();
}

/** What ranking needs of a document. */
interface FeatureRow {
  readonly document: number;
  /** When a turn was said, or when another record last changed. */
  readonly time: number;
  readonly flags: number;
  /** 1 for a turn of a conversation, else 0. */
  readonly is_turn: number;
  readonly speaker: string | null;
}

const FEATURES = `SELECT document, iif(thread IS NULL AND version > 1, updated_ms, created_ms) AS time, flags,
    thread IS NOT NULL AS is_turn, speaker
  FROM keepsake_records WHERE namespace = ? AND document IN (SELECT value FROM json_each(?)) AND ${LIVE}`;

/** A document with the turns before and after it in its conversation, nearest first, as JSON. */
interface NeighboursRow {
  readonly document: number;
  readonly earlier: string;
  readonly later: string;
}

const NEIGHBOURS = `SELECT r.document, ${neighbours('<', 'DESC')} AS earlier, ${neighbours('>', 'ASC')} AS later
  FROM json_each(?) found CROSS JOIN keepsake_records r ON r.namespace = ? AND r.document = found.value`;

function neighbours(sign: '<' | '>', order: 'ASC' | 'DESC'): string {
  return `(SELECT json_group_array(document) FROM (
      SELECT n.document FROM keepsake_records n
      WHERE n.namespace = r.namespace AND n.thread = r.thread AND n.document IS NOT NULL
        AND (n.turn_index, n.document) ${sign} (r.turn_index, r.document)
      ORDER BY n.turn_index ${order}, n.document ${order} LIMIT ${REMOTE_POOL.around}
    ))`;
}

/** What a search with a filter has found so far. */
interface Tried {
  readonly passing: readonly Scored[];
  /** The last one that was tried. */
  readonly after?: Scored | undefined;
  /** The documents that an index leads to. */
  readonly among: PlacesByBlock | undefined;
}

class PoolFinder {
  readonly #database: Database;
  readonly #namespace: number;
  readonly #search: PoolSearch;
  readonly #scorer: BlockScorer;
  readonly #steps: WorkSteps;
  readonly #rows = new Map<number, FeatureRow | undefined>();
  readonly #passing = new Map<number, boolean>();
  readonly #scores = new Map<number, { readonly score: number; readonly held: number }>();
  #ranked: Promise<readonly Scored[]> | undefined;

  constructor(database: Database, namespace: number, search: PoolSearch) {
    const { postings, query, signal } = search;
    this.#database = database;
    this.#namespace = namespace;
    this.#search = search;
    this.#steps = new WorkSteps(signal);
    const words = query.worths.map(({ word, group, worth }) => ({
      worth,
      postings: postings[word]?.[group] ?? (new Map() as BlockPostings),
    }));
    this.#scorer = new BlockScorer(words, query.norm);
  }

  async find(): Promise<FoundPool> {
    const { query, rules, compared } = this.#search;
    const { size } = query;
    const found = new Set(await this.#bestByWords(size));
    if (rules.length > 0) for (const document of await this.#bestPassing(size)) found.add(document);
    if (compared !== undefined) for (const document of await this.#nearest(compared, size)) found.add(document);
    const runs = await this.#runs([...found]);
    await this.#load(runs.flatMap((run) => run.filter((_, index) => this.#mayBeFound(run, index))));
    if (rules.length > 0) await this.#checkPassing(runs.flat().filter((document) => this.#rows.get(document)));
    const matches = runs.flatMap((run, thread) => run.map((document, index) => this.#match(document, thread, index)));
    return { documents: runs.flat(), matches };
  }

  /** With times, the best of those that can be among the best by how near they are to the times. */
  async #bestByWords(
    size: number,
    among: (limit: number) => Promise<readonly Scored[]> = async (limit) => (await this.#rank(limit)).slice(0, limit),
  ): Promise<number[]> {
    const { times } = this.#search;
    if (times.length === 0) return (await among(size)).map(({ id }) => id);
    const best = await among(Math.max(size, MAX_DATED));
    await this.#load(best.map(({ id }) => id));
    return best
      .map(({ id, score }) => ({ id, score: score * timeFactor(times, this.#rows.get(id)?.time ?? 0) }))
      .sort((a, b) => b.score - a.score || b.id - a.id)
      .slice(0, size)
      .map(({ id }) => id);
  }

  /** The best documents; with a filter, some more, which are tried next. */
  #rank(limit: number): Promise<readonly Scored[]> {
    const { rules } = this.#search;
    this.#ranked ??= this.#scorer.best(rules.length === 0 ? limit : TRIED_FIRST * limit, this.#steps);
    return this.#ranked;
  }

  #bestPassing(size: number): Promise<number[]> {
    return this.#bestByWords(size, (limit) => this.#firstPassing(limit));
  }

  /** The best documents that pass the filter, of all or of those that an index leads to. */
  async #firstPassing(limit: number): Promise<readonly Scored[]> {
    const indexed = await this.#openIndex();
    const few = await indexed?.upTo(FEW_INDEXED);
    if (few !== undefined) return this.#tryMore(limit, { passing: [], among: few });
    const best = await this.#rank(limit);
    const passing = await this.#passingOf(best, limit);
    if (best.length < TRIED_FIRST * limit) return passing;
    const among = passing.length < FEW_PASSING * best.length ? await indexed?.upTo(MANY_INDEXED) : undefined;
    return this.#tryMore(limit, { passing, after: best.at(-1), among });
  }

  /** Tries more and more of the best documents after some others, until enough pass. */
  async #tryMore(limit: number, { passing, after, among }: Tried): Promise<readonly Scored[]> {
    const all = [...passing];
    let last = after;
    for (let size = 8 * limit; all.length < limit; size = TRIED_AT_ONCE) {
      const best = await this.#scorer.best(size, this.#steps, { after: last, among });
      all.push(...(await this.#passingOf(best, limit - all.length)));
      if (best.length < size) break;
      last = best.at(-1);
    }
    return all;
  }

  async #openIndex(): Promise<IndexedDocuments | undefined> {
    const field = await readyField(this.#database, this.#namespace, this.#search.indexed, this.#search);
    return field && new IndexedDocuments(this.#database, this.#namespace, field, this.#steps);
  }

  /** The first of some documents that pass the filter. */
  async #passingOf(documents: readonly Scored[], limit: number): Promise<Scored[]> {
    const passing: Scored[] = [];
    for (let from = 0; from < documents.length && passing.length < limit; from += READ_AT_ONCE) {
      const next = documents.slice(from, from + READ_AT_ONCE);
      await this.#checkPassing(next.map(({ id }) => id));
      for (const one of next) if (passing.length < limit && this.#passing.get(one.id)) passing.push(one);
    }
    return passing;
  }

  async #nearest(compared: VectorComparison<number>, size: number): Promise<number[]> {
    const { rules, signal } = this.#search;
    if (rules.length === 0) return (await nearestInSteps(compared, { limit: size }, signal)).map(({ key }) => key);
    // The nearest documents, more and more of them until enough pass.
    const passing: number[] = [];
    let last: VectorHit<number> | undefined;
    for (let tried = 8 * size; passing.length < size; tried = TRIED_AT_ONCE) {
      const near = await nearestInSteps(compared, { limit: tried, after: last }, signal);
      const found = near.map(({ key }) => ({ id: key, score: 0 }));
      passing.push(...(await this.#passingOf(found, size - passing.length)).map(({ id }) => id));
      if (near.length < tried) break;
      last = near.at(-1);
    }
    return passing;
  }

  /** Finds out which documents pass the filter. */
  async #checkPassing(documents: readonly number[]): Promise<void> {
    const unknown = documents.filter((document) => !this.#passing.has(document));
    const sql = `SELECT ${RECORD_COLUMNS} FROM keepsake_records WHERE namespace = ? AND document = ? AND ${LIVE}`;
    for (let from = 0; from < unknown.length; from += READ_AT_ONCE) {
      if (this.#steps.isDue) await this.#steps.pause();
      await this.#database.read((connection) => {
        for (const document of unknown.slice(from, from + READ_AT_ONCE)) {
          const row = connection.first<RecordRow>(sql, this.#namespace, document, Date.now());
          this.#passing.set(document, row !== undefined && matchesFilter(this.#search.rules, readRow(row)));
        }
      });
    }
  }

  /** Documents with the turns around them, in runs of neighbours. */
  async #runs(documents: readonly number[]): Promise<number[][]> {
    await this.#load(documents);
    const isTurn = (document: number) => this.#rows.get(document)?.is_turn === 1;
    const turns = documents.filter(isTurn);
    const rows =
      turns.length === 0
        ? []
        : await this.#database.read((connection) =>
            connection.all<NeighboursRow>(NEIGHBOURS, listOf(turns), this.#namespace),
          );
    return [
      ...documents.filter((document) => !isTurn(document)).map((document) => [document]),
      ...joinRuns(
        rows.map(({ document, earlier, later }) => [document, JSON.parse(earlier), JSON.parse(later)] as const),
      ),
    ];
  }

  /** Whether a turn of a run can be a result or lend score. The others only separate turns. */
  #mayBeFound(run: readonly number[], index: number): boolean {
    if (this.#search.compared !== undefined) return true;
    const [before, document, after] = [run[index - 1], run[index] as number, run[index + 1]];
    // The answer to a question can be found without a word of the query, and so can what a reply answers.
    return [document, before, after].some((turn) => turn !== undefined && this.#scored(turn).score > 0);
  }

  #scored(document: number): { readonly score: number; readonly held: number } {
    let scored = this.#scores.get(document);
    if (scored === undefined) {
      scored = this.#scorer.of(document);
      this.#scores.set(document, scored);
    }
    return scored;
  }

  #match(document: number, thread: number, index: number): RemoteMatch {
    const row = this.#rows.get(document);
    const { rules, compared } = this.#search;
    const speaker = row?.speaker ?? undefined;
    return {
      ...this.#scored(document),
      created: document,
      passes: row !== undefined && (rules.length === 0 || this.#passing.get(document) === true),
      time: row?.time ?? 0,
      flags: row?.flags ?? 0,
      cosine: compared?.scoreOf(document),
      ...(row?.is_turn === 0
        ? {}
        : { turn: { thread: String(thread), index, ...(speaker !== undefined && { speaker }) } }),
    };
  }

  /** Reads the rows of documents that are not known yet. Expired records have none. */
  async #load(documents: readonly number[]): Promise<void> {
    const missing = documents.filter((document) => !this.#rows.has(document));
    if (missing.length === 0) return;
    for (const document of missing) this.#rows.set(document, undefined);
    const rows = await this.#database.read((connection) =>
      connection.all<FeatureRow>(FEATURES, this.#namespace, listOf(missing), Date.now()),
    );
    for (const row of rows) this.#rows.set(row.document, row);
  }
}
