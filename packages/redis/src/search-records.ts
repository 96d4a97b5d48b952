import {
  type FilterRule,
  type MemoryEntry,
  matchesFilter,
  type ScoreExplanation,
  throwIfAborted,
} from '@keepsake/core';
import { HOSTED_POOL, type HostedHit, type HostedWord, hostedQuery, rankHosted } from '@keepsake/search';
import { writeRules } from './filter-rules.ts';
import { unpackId } from './pack-id.ts';
import type { Records } from './records.ts';
import type { ScriptArgument } from './redis-client.ts';
import { FETCH, SEARCH } from './search-lua.ts';
import { type FoundRecord, type Pool, readSearchReply } from './search-reply.ts';
import { readRecord, type StoredRecord } from './stored-record.ts';

export interface RecordSearch {
  readonly query: string;
  readonly limit: number;
  readonly rules: readonly FilterRule[];
  readonly minScore: number;
  readonly explain: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The records that fit, best first. */
export async function searchRecords(records: Records, search: RecordSearch): Promise<MemoryEntry[]> {
  const { query, limit, rules, signal } = search;
  for (;;) {
    const { held } = records;
    const words = hostedQuery(query, held, records.language);
    const pool = Math.max(HOSTED_POOL.size, HOSTED_POOL.sizePerHit * limit);
    const values = [held.join(), pool, HOSTED_POOL.around, limit, writeRules(rules), words.length];
    const reply = readSearchReply(await records.run(SEARCH, [...values, ...words.flatMap(writeWord)]));
    throwIfAborted(signal);
    if (reply.is === 'DUE') await records.sweep();
    else if (reply.is === 'HELD') records.held = reply.languages;
    else if (reply.is === 'HITS') return reply.hits.flatMap((hit) => plainEntry(hit, search));
    else return fetchRanked(records, reply, rank(reply, words, search), search);
  }
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

function rank({ worths, matches, speakers }: Pool, words: readonly HostedWord[], search: RecordSearch): HostedHit[] {
  const { query, limit, minScore, explain } = search;
  const found = worths.map(({ word, worth }) => ({ forms: words[word]?.forms ?? [], worth }));
  return rankHosted(query, found, matches, speakers, { limit, minScore, explain, now: new Date() });
}

/** Between the two calls a record may have changed, or gone: then it is left out. */
async function fetchRanked(
  records: Records,
  { documents }: Pool,
  hits: readonly HostedHit[],
  { rules, signal }: RecordSearch,
): Promise<MemoryEntry[]> {
  if (hits.length === 0) return [];
  const found = await records.run(
    FETCH,
    hits.map(({ match }) => documents[match] as number),
  );
  throwIfAborted(signal);
  const byDocument = new Map<number, StoredRecord>();
  for (let at = 0; at < found.length; at += 2) {
    const stored = readRecord(unpackId(found[at] as Buffer), String(found[at + 1]));
    byDocument.set(stored.document, stored);
  }
  return hits.flatMap(({ match, score, explanation }) => {
    const stored = byDocument.get(documents[match] as number);
    if (stored === undefined || !matchesFilter(rules, stored.record)) return [];
    return [toEntry(stored, score, explanation)];
  });
}

function plainEntry({ id, stored, score }: FoundRecord, { rules, minScore, explain }: RecordSearch): MemoryEntry[] {
  const found = readRecord(id, stored);
  if (score < minScore || !matchesFilter(rules, found.record)) return [];
  return [toEntry(found, score, explain ? { sum: { words: score }, factors: {} } : undefined)];
}

function toEntry({ record }: StoredRecord, score: number, explanation: ScoreExplanation | undefined): MemoryEntry {
  const { id, content, metadata, createdAt, updatedAt, turn } = record;
  return {
    ...{ id, content, metadata, score, createdAt, updatedAt },
    ...(turn === undefined ? {} : { turn }),
    ...(explanation === undefined ? {} : { explanation }),
  };
}
