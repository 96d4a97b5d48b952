import type { MemoryEntry, MemoryStore } from '../../store/memory-store.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { plainText } from '../injection/plain-text.ts';

/** The number of entries to look for a content in, for stores without `get`. */
const CANDIDATES = 5;
const QUERY_CHARACTERS = 4_000;

/** Whether a fact of an entry that a store once returned still holds: the entry may have been deleted, changed or closed. */
export async function isStillStored(
  store: MemoryStore,
  { id, content }: MemoryEntry,
  plain: string,
  signal: AbortSignal,
): Promise<boolean> {
  const states = (text: string) => ` ${plainText(text)} `.includes(` ${plain} `);
  const { get } = store as Partial<RecordStore>;
  if (id !== undefined && typeof get === 'function') {
    const record = await get.call(store, id);
    return record !== undefined && record.validUntil === undefined && states(record.content);
  }
  const query = content.slice(0, QUERY_CHARACTERS).toWellFormed();
  const found = await store.search(query, { maxSearchResults: CANDIDATES, signal });
  return found.some((entry) => states(entry.content));
}
