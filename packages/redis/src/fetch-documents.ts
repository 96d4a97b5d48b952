import type { Records } from './records.ts';
import { FETCH } from './search-lua.ts';
import { readRecords, type StoredRecord } from './stored-record.ts';

/** The records of documents, by document. Leaves out records that no longer exist. */
export async function fetchDocuments(
  records: Records,
  documents: readonly number[],
): Promise<Map<number, StoredRecord>> {
  if (documents.length === 0) return new Map();
  const found = readRecords(await records.run(FETCH, documents));
  return new Map(found.map((stored) => [stored.document, stored]));
}
