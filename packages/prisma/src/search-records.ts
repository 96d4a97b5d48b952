import { type MemoryEntry, throwIfAborted } from '@keepsake/core';
import {
  entryOf,
  type FoundWord,
  type HostedHit,
  type HostedMatch,
  type HostedMatches,
  type HostedSearch,
  hostedQuery,
  rankHosted,
} from '@keepsake/search';
import { writeRules } from './filter-fields.ts';
import { liveIn, RECORD_COLUMNS, type RecordRow, readRow } from './record-rows.ts';
import type { Records } from './records.ts';
import {
  type Feature,
  type FoundRow,
  featuresOf,
  type PoolRow,
  poolSizeOf,
  type SearchRow,
  searchStatement,
} from './search-statement.ts';
import { joinSpans } from './spans.ts';
import { readRows, rowsOf, Values } from './statement.ts';
import { fromStorable } from './storable-text.ts';
import { compareMeaning } from './vectors.ts';

/** A record that was found: its place in the order of creation, and how well it fits. */
type Hit = Omit<HostedHit, 'match'> & { readonly seq: number };

export interface Found {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** The words of the query that any record has. */
  readonly words: readonly FoundWord[];
}

const NOTHING: Found = { hits: [], words: [] };

/** Finds the records that fit by their words and, where there is an embedder, by their meaning. */
export async function find(records: Records, search: HostedSearch): Promise<Found> {
  const { place, language, embedder } = records;
  const { query, rules, limit, minScore, explain, signal } = search;
  const database = await records.database();
  const poolSize = poolSizeOf(limit);
  const [facts, meaning] = await Promise.all([
    records.facts.read(database, place),
    embedder && compareMeaning(records, embedder, search, poolSize),
  ]);
  throwIfAborted(signal);
  const queried = hostedQuery(query, facts.languages, language);
  const features = featuresOf(queried, facts);
  if (facts.records === 0 || (features.length === 0 && meaning === undefined)) return NOTHING;
  const statement = searchStatement(database.dialect, { place, features, facts, rules, poolSize, meaning });
  const [row] = await readRows<SearchRow>(database, statement, signal);
  throwIfAborted(signal);
  const worths = readWorths(row);
  const words = worths.map(([feature, worth]) => {
    const { word } = features[feature] as Feature;
    return { forms: queried[word]?.forms ?? [], worth };
  });
  const { matches, seqs } = readMatches(row, worths);
  const { speakers, lengths } = facts;
  const found: HostedMatches = { words, matches, speakers, variety: lengths.variety, cosines: meaning?.cosines };
  const ranked = rankHosted(query, found, { limit, minScore, explain, now: new Date() });
  return { words, hits: ranked.map(({ match, ...hit }) => ({ seq: seqs[match] as number, ...hit })) };
}

type Worth = readonly [feature: number, worth: number];

/** The features that any record has, what is worth most first. */
function readWorths(row: SearchRow | undefined): Worth[] {
  const worths = JSON.parse(row?.worths ?? '[]') as Worth[];
  return worths.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

interface Matches {
  readonly matches: readonly HostedMatch[];
  /** The record of each match; `undefined` for a turn that is only a step between others. */
  readonly seqs: readonly (number | undefined)[];
}

/** How many words ranking tells apart. */
const MOST_HELD = 31;

function readMatches(row: SearchRow | undefined, worths: readonly Worth[]): Matches {
  const bits = new Map(worths.slice(0, MOST_HELD).map(([feature], bit) => [feature, 1 << bit]));
  const rows = new Map((JSON.parse(row?.found ?? '[]') as FoundRow[]).map((found) => [found[0], found]));
  const spans = joinSpans(JSON.parse(row?.pool ?? '[]') as PoolRow[]);
  const found = spans.flatMap((span, thread) =>
    span.map((seq, index) => {
      const row = rows.get(seq);
      const place = { thread: `${thread}`, index };
      return row === undefined ? { match: { ...STEP, turn: place } } : { seq, match: readMatch(row, place, bits) };
    }),
  );
  return { matches: found.map(({ match }) => match), seqs: found.map(({ seq }) => seq) };
}

/** A turn that search neither finds nor takes score from: it only counts as a step between others. */
const STEP = { score: 0, held: 0, born: 0, passes: false, time: 0, flags: 0 };

/** Where a turn is, as far as ranking sees: each run of neighbours is a conversation of its own. */
interface RunPlace {
  readonly thread: string;
  readonly index: number;
}

function readMatch(
  [seq, score, held, passes, thread, speaker, time, flags, cosine]: FoundRow,
  place: RunPlace,
  bits: ReadonlyMap<number, number>,
): HostedMatch {
  const who = speaker === null ? {} : { speaker: fromStorable(speaker) };
  return {
    score,
    held: (held ?? []).reduce((all, feature) => all | (bits.get(feature) ?? 0), 0),
    born: seq,
    passes: passes === 1,
    time,
    flags,
    ...(cosine === null ? {} : { cosine }),
    ...(thread === null ? {} : { turn: { ...place, ...who } }),
  };
}

/** Reads the entries that were found. Leaves out records that were deleted, or no longer pass the filter, in the meantime. */
export async function fetchEntries(
  records: Records,
  { hits, words }: Found,
  { rules, signal }: HostedSearch,
): Promise<MemoryEntry[]> {
  if (hits.length === 0) return [];
  const database = await records.database();
  const values = new Values(database.dialect);
  const seqs = hits.map(({ seq }) => [seq]);
  const sql = `SELECT ${RECORD_COLUMNS} FROM "keepsake_records"
    WHERE "namespace_key" = ${values.text(records.place.key)} AND ${liveIn(database.dialect)}
      AND "seq" IN (${rowsOf(database.dialect, seqs, ['bigint'], values)}) AND ${writeRules(database.dialect, rules, values)}`;
  const rows = await readRows<RecordRow>(database, { sql, values }, signal);
  const bySeq = new Map(rows.map((row) => [Number(row.seq), row]));
  const searched = { words, language: records.language };
  return hits.flatMap((hit) => {
    const row = bySeq.get(hit.seq);
    return row === undefined ? [] : [entryOf(readRow(row), hit, searched)];
  });
}
