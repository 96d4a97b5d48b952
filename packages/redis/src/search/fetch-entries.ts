import type { MemoryEntry } from '@keepsake/core';
import { matchesFilter, type RecordSearch } from '@keepsake/core/adapter';
import { entryOf, type FoundWord, type PoolHit } from '@keepsake/search/remote';
import { FETCH } from '../lua/records/read-records.ts';
import type { Records } from '../stores/records.ts';
import { readRecords, type StoredRecord } from '../stores/stored-record.ts';
import type { FoundDocument, FoundDocuments } from './search-reply.ts';

/** The entry of each hit; `undefined` if its record was changed or deleted in the meantime. */
export async function fetchEntries(
  records: Records,
  { rules }: RecordSearch,
  { documents }: FoundDocuments,
  hits: readonly PoolHit[],
  words: readonly FoundWord[],
): Promise<(MemoryEntry | undefined)[]> {
  const wanted = hits.map(({ match }) => documents[match] as FoundDocument);
  const found = await fetchRecords(
    records,
    wanted.map(({ document }) => document),
  );
  const searched = { words, language: records.language };
  return hits.map(({ match: _, ...hit }, index) => {
    const { document, version } = wanted[index] as FoundDocument;
    const record = found.get(document)?.record;
    const isSame = record !== undefined && record.version === (version ?? record.version);
    return isSame && matchesFilter(rules, record) ? entryOf(record, hit, searched) : undefined;
  });
}

async function fetchRecords(records: Records, documents: readonly number[]): Promise<Map<number, StoredRecord>> {
  const found = documents.length === 0 ? [] : readRecords(await records.run(FETCH, documents));
  return new Map(found.map((stored) => [stored.document, stored]));
}
