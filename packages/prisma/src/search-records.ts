import { type MemoryEntry, type Turn, throwIfAborted } from '@keepsake/core';
import {
  embed,
  fuseHosted,
  fusionDepth,
  type HostedHit,
  type HostedMatch,
  type HostedSearch,
  hostedQuery,
  rankHosted,
} from '@keepsake/search';
import { writeRules } from './filter-fields.ts';
import { ASKS, SPEAKS_OF_TIME } from './put-records.ts';
import { liveIn, RECORD_COLUMNS, type RecordRow, readRow } from './record-rows.ts';
import type { Records } from './records.ts';
import {
  type Feature,
  type FoundRow,
  featuresOf,
  type PoolRow,
  type SearchRow,
  searchStatement,
} from './search-statement.ts';
import { joinSpans } from './spans.ts';
import { readRows, rowsOf, Values } from './statement.ts';
import { fromStorable } from './storable-text.ts';
import { findNearest } from './vectors.ts';

/** A record that was found: its place in the order of creation, and how well it fits. */
export type Hit = Omit<HostedHit, 'match'> & { readonly seq: number };

/** The records that fit by their words and, where there is an embedder, by their meaning; best first. */
export async function find(records: Records, search: HostedSearch): Promise<Hit[]> {
  const { embedder } = records;
  if (embedder === undefined) return findByWords(records, search);
  const { query, limit, signal } = search;
  const depth = fusionDepth(limit);
  const [vector] = await embed(embedder, [query], signal);
  throwIfAborted(signal);
  const [words, meaning] = await Promise.all([
    findByWords(records, { ...search, limit: depth, minScore: -Infinity, explain: false }),
    findNearest(records, embedder, vector as Float32Array, depth, search),
  ]);
  const seqs = words.map(({ seq }) => seq);
  return fuseHosted(seqs, meaning, search).map(({ key, ...hit }) => ({ seq: key, ...hit }));
}

/** The records that fit by their words, best first. */
async function findByWords(records: Records, search: HostedSearch): Promise<Hit[]> {
  const { place, language } = records;
  const { query, rules, limit, minScore, explain, signal } = search;
  const database = await records.database();
  const facts = await records.facts.read(database, place);
  throwIfAborted(signal);
  const words = hostedQuery(query, facts.languages, language);
  const features = featuresOf(words, facts);
  if (facts.records === 0 || features.length === 0) return [];
  const statement = searchStatement(database.dialect, { place, features, facts, rules, limit });
  const [row] = await readRows<SearchRow>(database, statement, signal);
  throwIfAborted(signal);
  if (!facts.talks) return plainHits(row, search);
  const { worths, matches, seqs } = readFound(row, features);
  const found = worths.map(({ feature, worth }) => ({ forms: words[feature.word]?.forms ?? [], worth }));
  const options = { limit, minScore, explain, now: new Date() };
  return rankHosted(query, found, matches, facts.speakers, options).map(({ match, ...hit }) => ({
    seq: seqs[match] as number,
    ...hit,
  }));
}

/** Where no record is a turn, words are all there is. */
function plainHits(row: SearchRow | undefined, { limit, minScore, explain }: HostedSearch): Hit[] {
  const found = JSON.parse(row?.found ?? '[]') as FoundRow[];
  return found
    .filter(([, score, , passes]) => passes === 1 && score >= minScore)
    .sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, limit)
    .map(([seq, score]) => ({
      seq,
      score,
      ...(explain ? { explanation: { sum: { words: score }, factors: {} } } : {}),
    }));
}

interface Found {
  /** What is worth most first. */
  readonly worths: readonly { readonly feature: Feature; readonly worth: number }[];
  readonly matches: readonly HostedMatch[];
  /** Of each match; `undefined` for a turn that holds no word of the query. */
  readonly seqs: readonly (number | undefined)[];
}

/** As many words are told apart. */
const MOST_HELD = 31;

function readFound(row: SearchRow | undefined, features: readonly Feature[]): Found {
  const worths = JSON.parse(row?.worths ?? '[]') as [feature: number, worth: number][];
  worths.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const bits = new Map(worths.slice(0, MOST_HELD).map(([feature], bit) => [feature, 1 << bit]));
  const rows = new Map((JSON.parse(row?.found ?? '[]') as FoundRow[]).map((found) => [found[0], found]));
  const spans = joinSpans(JSON.parse(row?.pool ?? '[]') as PoolRow[]);
  const found = spans.flatMap((span, thread) =>
    span.map((seq, index) => {
      const row = rows.get(seq);
      return row === undefined
        ? { seq: undefined, match: leftOut({ thread: `${thread}`, index }) }
        : { seq, match: readMatch(row, { thread: `${thread}`, index }, bits) };
    }),
  );
  return {
    worths: worths.map(([feature, worth]) => ({ feature: features[feature] as Feature, worth })),
    matches: found.map(({ match }) => match),
    seqs: found.map(({ seq }) => seq),
  };
}

/** A turn that holds no word of the query: it is never found, and only counts as a step. */
function leftOut(turn: Turn): HostedMatch {
  return { score: 0, held: 0, born: 0, passes: true, turn: { ...turn, time: 0, asks: false, speaksOfTime: false } };
}

/** A run of neighbours is a conversation, as far as ranking sees, and a step in it an index. */
function readMatch(
  [seq, score, held, passes, thread, speaker, time, flags]: FoundRow,
  place: Turn,
  bits: ReadonlyMap<number, number>,
): HostedMatch {
  const match = {
    score,
    held: (held ?? []).reduce((all, feature) => all | (bits.get(feature) ?? 0), 0),
    born: seq,
    passes: passes === 1,
  };
  if (thread === null) return match;
  const who = speaker === null ? {} : { speaker: fromStorable(speaker) };
  const asks = (flags & ASKS) !== 0;
  return { ...match, turn: { ...place, ...who, time, asks, speaksOfTime: (flags & SPEAKS_OF_TIME) !== 0 } };
}

/** What was found, as it is by now: a record that has changed or gone meanwhile is left out. */
export async function fetchEntries(
  records: Records,
  hits: readonly Hit[],
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
  return hits.flatMap(({ seq, score, explanation }) => {
    const row = bySeq.get(seq);
    return row === undefined ? [] : [toEntry(row, score, explanation)];
  });
}

function toEntry(row: RecordRow, score: number, explanation: Hit['explanation']): MemoryEntry {
  const { id, content, metadata, createdAt, updatedAt, turn } = readRow(row);
  return {
    ...{ id, content, metadata, score, createdAt, updatedAt },
    ...(turn === undefined ? {} : { turn }),
    ...(explanation === undefined ? {} : { explanation }),
  };
}
