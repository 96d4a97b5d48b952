import { unpackId } from './pack-id.ts';
import type { Records } from './records.ts';
import { FETCH } from './search-lua.ts';
import { readRecord, type StoredRecord } from './stored-record.ts';

/** The records of documents, by their documents; without those that are gone. */
export async function fetchDocuments(
  records: Records,
  documents: readonly number[],
): Promise<Map<number, StoredRecord>> {
  if (documents.length === 0) return new Map();
  const found = await records.run(FETCH, documents);
  const byDocument = new Map<number, StoredRecord>();
  for (let at = 0; at < found.length; at += 2) {
    const stored = readRecord(unpackId(found[at] as Buffer), String(found[at + 1]));
    byDocument.set(stored.document, stored);
  }
  return byDocument;
}
