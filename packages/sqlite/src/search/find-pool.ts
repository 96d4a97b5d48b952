import { type FilterRule, matchesFilter } from '@keepsake/core/adapter';
import type { VectorComparison } from '@keepsake/search';
import {
  joinRuns,
  type NamedTime,
  type Pool,
  type PoolQuery,
  REMOTE_POOL,
  type RemoteMatch,
  timeFactor,
} from '@keepsake/search/remote';
import type { Connection } from '../database/connection.ts';
import { indexedField } from '../records/field-rows.ts';
import { LIVE, listOf, RECORD_COLUMNS, type RecordRow, readRow } from '../records/record-rows.ts';
import type { BlockPostings } from './query-postings.ts';
import { Scorer } from './scorer.ts';

/** The most documents that are looked at for their times if the query names one. */
const MAX_DATED = 500;
/** A filter of which at most this many records can pass leads to them. For others, the best documents are tried. */
const MAX_FILTERED = 5_000;

export interface PoolSearch {
  readonly query: PoolQuery;
  /** Of each word of the query its own postings, then those of its groups. */
  readonly postings: readonly (readonly BlockPostings[])[];
  readonly rules: readonly FilterRule[];
  readonly compared: VectorComparison<number> | undefined;
  /** The times that the query names. */
  readonly times: readonly NamedTime[];
}

interface FoundPool extends Pick<Pool, 'matches'> {
  /** The document of each match. */
  readonly documents: readonly number[];
}

/** Finds the documents of a namespace that may rank among the best, with the turns beside them. */
export function findPool(connection: Connection, namespace: number, search: PoolSearch): FoundPool {
  return new PoolFinder(connection, namespace, search).find();
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

class PoolFinder {
  readonly #connection: Connection;
  readonly #namespace: number;
  readonly #search: PoolSearch;
  readonly #scorer: Scorer;
  readonly #rows = new Map<number, FeatureRow | undefined>();
  readonly #passing = new Map<number, boolean>();
  readonly #scores = new Map<number, { readonly score: number; readonly held: number }>();

  constructor(connection: Connection, namespace: number, search: PoolSearch) {
    const { postings, query } = search;
    this.#connection = connection;
    this.#namespace = namespace;
    this.#search = search;
    const words = query.worths.map(({ word, group, worth }) => ({
      worth,
      postings: postings[word]?.[group] ?? (new Map() as BlockPostings),
    }));
    this.#scorer = new Scorer(words, query.norm);
  }

  find(): FoundPool {
    const { query, rules, compared } = this.#search;
    const { size } = query;
    const found = new Set(this.#bestByWords(size));
    if (rules.length > 0) for (const document of this.#bestPassing(size)) found.add(document);
    if (compared !== undefined) for (const document of this.#nearest(compared, size)) found.add(document);
    const runs = this.#runs([...found]);
    this.#load(runs.flatMap((run) => run.filter((_, index) => this.#mayBeFound(run, index))));
    const matches = runs.flatMap((run, thread) => run.map((document, index) => this.#match(document, thread, index)));
    return { documents: runs.flat(), matches };
  }

  /** With times, the best of those that can be among the best by how near they are to the times. */
  #bestByWords(size: number, among: (limit: number) => Scored[] = (limit) => [...this.#scorer.best(limit)]): number[] {
    const { times } = this.#search;
    if (times.length === 0) return among(size).map(({ id }) => id);
    const best = among(Math.max(size, MAX_DATED));
    this.#load(best.map(({ id }) => id));
    return best
      .map(({ id, score }) => ({ id, score: score * timeFactor(times, this.#rows.get(id)?.time ?? 0) }))
      .sort((a, b) => b.score - a.score || b.id - a.id)
      .slice(0, size)
      .map(({ id }) => id);
  }

  #bestPassing(size: number): number[] {
    const filtered = this.#filtered();
    return this.#bestByWords(size, (limit) =>
      filtered === undefined ? this.#firstPassing(limit) : this.#rankPassing(filtered).slice(0, limit),
    );
  }

  /** The documents that an index leads to, if there are few. */
  #filtered(): number[] | undefined {
    const field = indexedField(this.#search.rules);
    if (field === undefined) return undefined;
    const sql = `SELECT r.document FROM keepsake_fields f CROSS JOIN keepsake_records r ON r.record = f.record
      WHERE f.namespace = ? AND f.field = ? AND f.value = ? AND r.document IS NOT NULL LIMIT ?`;
    const rows = this.#connection.all<{ document: number }>(sql, this.#namespace, ...field, MAX_FILTERED + 1);
    return rows.length > MAX_FILTERED ? undefined : rows.map(({ document }) => document);
  }

  #rankPassing(documents: readonly number[]): Scored[] {
    return documents
      .map((id) => ({ id, score: this.#scorer.of(id).score }))
      .filter(({ id, score }) => score > 0 && this.#passes(id))
      .sort((a, b) => b.score - a.score || b.id - a.id);
  }

  /** Tries the best documents, more and more of them until enough pass. */
  #firstPassing(limit: number): Scored[] {
    for (let tried = 8 * limit; ; tried *= 8) {
      const best = this.#scorer.best(tried);
      const passing: Scored[] = [];
      for (const one of best) {
        if (passing.length === limit) break;
        if (this.#passes(one.id)) passing.push(one);
      }
      if (passing.length === limit || best.length < tried) return passing;
    }
  }

  #nearest(compared: VectorComparison<number>, size: number): number[] {
    const { rules } = this.#search;
    const filter = (document: number) => this.#passes(document);
    return compared.nearest({ limit: size, ...(rules.length > 0 && { filter }) }).map(({ key }) => key);
  }

  #passes(document: number): boolean {
    let passes = this.#passing.get(document);
    if (passes === undefined) {
      const sql = `SELECT ${RECORD_COLUMNS} FROM keepsake_records WHERE namespace = ? AND document = ? AND ${LIVE}`;
      const row = this.#connection.first<RecordRow>(sql, this.#namespace, document, Date.now());
      passes = row !== undefined && matchesFilter(this.#search.rules, readRow(row));
      this.#passing.set(document, passes);
    }
    return passes;
  }

  /** Documents with the turns around them, in runs of neighbours. */
  #runs(documents: readonly number[]): number[][] {
    this.#load(documents);
    const isTurn = (document: number) => this.#rows.get(document)?.is_turn === 1;
    const turns = documents.filter(isTurn);
    const rows =
      turns.length === 0 ? [] : this.#connection.all<NeighboursRow>(NEIGHBOURS, listOf(turns), this.#namespace);
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
      passes: row !== undefined && (rules.length === 0 || this.#passes(document)),
      time: row?.time ?? 0,
      flags: row?.flags ?? 0,
      cosine: compared?.scoreOf(document),
      ...(row?.is_turn === 0
        ? {}
        : { turn: { thread: String(thread), index, ...(speaker !== undefined && { speaker }) } }),
    };
  }

  /** Reads the rows of documents that are not known yet. Expired records have none. */
  #load(documents: readonly number[]): void {
    const missing = documents.filter((document) => !this.#rows.has(document));
    if (missing.length === 0) return;
    for (const document of missing) this.#rows.set(document, undefined);
    for (const row of this.#connection.all<FeatureRow>(FEATURES, this.#namespace, listOf(missing), Date.now())) {
      this.#rows.set(row.document, row);
    }
  }
}

interface Scored {
  readonly id: number;
  readonly score: number;
}
