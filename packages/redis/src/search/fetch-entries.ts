import type { MemoryEntry } from '@keepsake/core';
import { matchesFilter, type RecordSearch } from '@keepsake/core/adapter';
import { entryOf, type FoundWord, type PoolHit } from '@keepsake/search/remote';
import { FETCH } from '../lua/records/read-records.ts';
import type { Records } from '../stores/records.ts';
import { readRecords, type StoredRecord } from '../stores/stored-record.ts';
import type { FoundDocuments } from './search-reply.ts';

/** The entry of each hit; `undefined` if its record was deleted in the meantime, or no longer passes the filter. */
export async function fetchEntries(
  records: Records,
  { rules }: RecordSearch,
  { documents }: FoundDocuments,
  hits: readonly PoolHit[],
  words: readonly FoundWord[],
): Promise<(MemoryEntry | undefined)[]> {
  const found = await fetchRecords(
    records,
    hits.map(({ match }) => documents[match] as number),
  );
  const searched = { words, language: records.language };
  return hits.map(({ match, ...hit }) => {
    const stored = found.get(documents[match] as number);
    const passes = stored !== undefined && matchesFilter(rules, stored.record);
    return passes ? entryOf(stored.record, hit, searched) : undefined;
  });
}

async function fetchRecords(records: Records, documents: readonly number[]): Promise<Map<number, StoredRecord>> {
  const found = documents.length === 0 ? [] : readRecords(await records.run(FETCH, documents));
  return new Map(found.map((stored) => [stored.document, stored]));
}
