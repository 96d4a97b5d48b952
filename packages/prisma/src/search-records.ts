import { type MemoryEntry, throwIfAborted } from '@keepsake/core';
import {
  embed,
  fuseHosted,
  fusionDepth,
  HOSTED_POOL,
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
import { type Feature, type FoundRow, featuresOf, type SearchRow, searchStatement } from './search-statement.ts';
import { readRows, Values } from './statement.ts';
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
  const { worths, matches, seqs } = readFound(row, features);
  const found = worths.map(({ feature, worth }) => ({ forms: words[feature.word]?.forms ?? [], worth }));
  const options = { limit, minScore, explain, now: new Date() };
  return rankHosted(query, found, matches, facts.speakers, options).map(({ match, ...hit }) => ({
    seq: seqs[match] as number,
    ...hit,
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
  const worths = JSON.parse(row?.worths ?? '[]') as [f: number, worth: number][];
  worths.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const bits = new Map(worths.slice(0, MOST_HELD).map(([f], bit) => [f, 1 << bit]));
  const rows = (JSON.parse(row?.found ?? '[]') as FoundRow[]).sort(byTurn);
  const found = rows.flatMap((one, place) => [
    ...leftOut(rows[place - 1], one).map((match) => ({ match, seq: undefined })),
    { match: readMatch(one, bits), seq: one[0] },
  ]);
  return {
    worths: worths.map(([f, worth]) => ({ feature: features[f] as Feature, worth })),
    matches: found.map(({ match }) => match),
    seqs: found.map(({ seq }) => seq),
  };
}

function byTurn([seq, , , , thread, index]: FoundRow, [otherSeq, , , , otherThread, otherIndex]: FoundRow): number {
  if (thread !== otherThread) return (thread ?? '') < (otherThread ?? '') ? -1 : 1;
  return (index ?? 0) - (otherIndex ?? 0) || seq - otherSeq;
}

/** Turns between two of a thread that hold no word of the query: they are never found, and only count as steps. */
function leftOut(before: FoundRow | undefined, { 4: thread, 5: index }: FoundRow): HostedMatch[] {
  if (before === undefined || thread === null || before[4] !== thread) return [];
  const gap = (index as number) - (before[5] as number) - 1;
  return Array.from({ length: Math.max(0, Math.min(gap, HOSTED_POOL.around)) }, (_, step) => {
    const turn = { thread, index: (before[5] as number) + step + 1, time: 0, asks: false, speaksOfTime: false };
    return { score: 0, held: 0, born: 0, passes: true, turn };
  });
}

function readMatch(
  [seq, score, held, passes, thread, index, speaker, time, flags]: FoundRow,
  bits: ReadonlyMap<number, number>,
): HostedMatch {
  const match = {
    score,
    // Unsigned, as the highest of 31 bits is not yet the sign.
    held: (held ?? []).reduce((all, f) => all | (bits.get(f) ?? 0), 0),
    born: seq,
    passes: passes === 1,
  };
  if (thread === null || index === null) return match;
  const who = speaker === null ? {} : { speaker: fromStorable(speaker) };
  const asks = (flags & ASKS) !== 0;
  return { ...match, turn: { thread, index, ...who, time, asks, speaksOfTime: (flags & SPEAKS_OF_TIME) !== 0 } };
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
  const sql = `SELECT ${RECORD_COLUMNS} FROM "keepsake_records"
    WHERE "namespace_key" = ${values.text(records.place.key)} AND ${liveIn(database.dialect)}
      AND "seq" IN (${hits.map(({ seq }) => values.whole(seq)).join(', ')}) AND ${writeRules(database.dialect, rules, values)}`;
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
