import type { MemoryEntry, MemoryStore } from '../memory-store.ts';
import { type Message, messageText } from '../message.ts';
import type { RecordStore } from '../record-store.ts';
import { canRevise } from './apply-change.ts';

/** How many memories an extractor is shown: what fits the messages, and what was learnt last. */
const FITTING = 20;
const NEWEST = 10;
const QUERY_CHARACTERS = 4_000;

/** What a store knows that may bear on messages, best first. What was said itself is no memory to be revised. */
export async function knownMemories(
  store: MemoryStore,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<MemoryEntry[]> {
  const query = messages.map(messageText).join('\n').slice(-QUERY_CHARACTERS).toWellFormed();
  const fitting = await store.search(query, { maxSearchResults: FITTING, signal });
  const newest = await lastLearnt(store, signal);
  const known = new Map<string, MemoryEntry>();
  for (const entry of [...fitting, ...newest]) {
    const key = entry.id ?? entry.content;
    if (typeof entry.content === 'string' && entry.turn === undefined && !known.has(key)) known.set(key, entry);
  }
  return [...known.values()];
}

/** What was learnt last: a change of what was just said may share no word with it ("I moved to Lisbon"). */
async function lastLearnt(store: MemoryStore, signal: AbortSignal): Promise<readonly MemoryEntry[]> {
  const { list, capabilities } = store as Partial<RecordStore>;
  if (!canRevise(store) || typeof list !== 'function' || !capabilities?.enumerate || !capabilities.filter) return [];
  const page = await list.call(store, { limit: NEWEST, filter: { sourceRun: { exists: true } }, signal });
  return page.items;
}
