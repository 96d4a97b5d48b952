import { type MemoryEntry, matchesFilter, type ScoreExplanation, throwIfAborted } from '@keepsake/core';
import {
  embed,
  fuseHosted,
  fusionDepth,
  HOSTED_POOL,
  type HostedHit,
  type HostedSearch,
  type HostedWord,
  hostedQuery,
  rankHosted,
} from '@keepsake/search';
import { fetchDocuments } from './fetch-documents.ts';
import { writeRules } from './filter-rules.ts';
import { otherAnalysis } from './other-analysis.ts';
import type { Records } from './records.ts';
import type { ScriptArgument } from './redis-client.ts';
import { SEARCH } from './search-lua.ts';
import { type FoundRecord, type Pool, readSearchReply } from './search-reply.ts';
import type { StoredRecord } from './stored-record.ts';

interface Hit {
  readonly stored: StoredRecord;
  readonly score: number;
  readonly explanation?: ScoreExplanation;
}

/** The records that fit, best first. */
export async function searchRecords(records: Records, search: HostedSearch): Promise<MemoryEntry[]> {
  const hits = await (records.embedder === undefined ? findByWords(records, search) : findByBoth(records, search));
  return hits.map(toEntry);
}

/** By words and by meaning, fused. */
async function findByBoth(records: Records, search: HostedSearch): Promise<Hit[]> {
  const { query, limit, rules, signal } = search;
  const { embedder, vectors } = records;
  if (embedder === undefined || vectors === undefined) return [];
  const depth = fusionDepth(limit);
  const [vector] = await embed(embedder, [query], signal);
  throwIfAborted(signal);
  const [byWords, byMeaning] = await Promise.all([
    findByWords(records, { ...search, limit: depth, minScore: -Infinity, explain: false }),
    vectors.nearest(vector as Float32Array, depth, rules),
  ]);
  throwIfAborted(signal);
  const words = byWords.map(({ stored }) => stored.document);
  const meaning = byMeaning.map(({ document }) => document);
  const known = new Map(
    [...byWords.map(({ stored }) => stored), ...byMeaning].map((stored) => [stored.document, stored]),
  );
  return fuseHosted(words, meaning, search).map(({ key, ...hit }) => ({
    stored: known.get(key) as StoredRecord,
    ...hit,
  }));
}

async function findByWords(records: Records, search: HostedSearch): Promise<Hit[]> {
  const { query, limit, rules, signal } = search;
  let swept = '';
  for (;;) {
    const { held } = records;
    const words = hostedQuery(query, held, records.language);
    const pool = Math.max(HOSTED_POOL.size, HOSTED_POOL.sizePerHit * limit);
    const values = [
      records.analysis,
      swept,
      held.join(),
      pool,
      HOSTED_POOL.around,
      limit,
      writeRules(rules),
      words.length,
    ];
    const reply = readSearchReply(await records.run(SEARCH, [...values, ...words.flatMap(writeWord)]));
    throwIfAborted(signal);
    if (reply.is === 'ANALYSIS') throw otherAnalysis(reply.name, records.analysis);
    if (reply.is === 'DUE') swept = await trySweeping(records);
    else if (reply.is === 'HELD') records.held = reply.languages;
    else if (reply.is === 'HITS') return reply.hits.flatMap((hit) => plainHit(hit, search));
    else return fetchRanked(records, reply, rank(reply, words, search), search);
  }
}

/** A search goes on without: whoever may not write, or reads from a replica, can search as well. */
async function trySweeping(records: Records): Promise<string> {
  await records.sweep().catch(() => undefined);
  return 'swept';
}

function writeWord({ forms, terms, times, related }: HostedWord): ScriptArgument[] {
  const names = forms.map(({ term }) => term);
  return [
    times,
    ...writeList(terms),
    ...writeList(names),
    related.length,
    ...related.flatMap(({ weight, terms }) => [weight, ...writeList(terms)]),
  ];
}

function writeList(texts: readonly string[]): ScriptArgument[] {
  return [texts.length, ...texts];
}

function rank({ worths, matches, speakers }: Pool, words: readonly HostedWord[], search: HostedSearch): HostedHit[] {
  const { query, limit, minScore, explain } = search;
  const found = worths.map(({ word, worth }) => ({ forms: words[word]?.forms ?? [], worth }));
  return rankHosted(query, found, matches, speakers, { limit, minScore, explain, now: new Date() });
}

/** Between the two calls a record may have changed, or gone: then it is left out. */
async function fetchRanked(
  records: Records,
  { documents }: Pool,
  ranked: readonly HostedHit[],
  { rules, signal }: HostedSearch,
): Promise<Hit[]> {
  const hits = ranked.map(({ match, ...hit }) => ({ document: documents[match] as number, ...hit }));
  const found = await fetchDocuments(
    records,
    hits.map(({ document }) => document),
  );
  throwIfAborted(signal);
  return hits.flatMap(({ document, ...hit }) => {
    const stored = found.get(document);
    return stored === undefined || !matchesFilter(rules, stored.record) ? [] : [{ stored, ...hit }];
  });
}

function plainHit({ stored, score }: FoundRecord, { rules, minScore, explain }: HostedSearch): Hit[] {
  if (score < minScore || !matchesFilter(rules, stored.record)) return [];
  return [{ stored, score, ...(explain ? { explanation: { sum: { words: score }, factors: {} } } : {}) }];
}

function toEntry({ stored, score, explanation }: Hit): MemoryEntry {
  const { id, content, metadata, createdAt, updatedAt, turn } = stored.record;
  return {
    ...{ id, content, metadata, score, createdAt, updatedAt },
    ...(turn === undefined ? {} : { turn }),
    ...(explanation === undefined ? {} : { explanation }),
  };
}
