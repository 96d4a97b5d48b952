import { type Message, messageText } from '../../model/message.ts';
import type { MemoryEntry, MemoryStore } from '../../store/memory-store.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { canRevise } from './apply-change.ts';

/** The number of memories shown to an extractor: the most relevant and the most recent. */
const FITTING = 20;
const NEWEST = 10;
const QUERY_CHARACTERS = 4_000;

/** The memories of a store related to messages, best first. Leaves out utterances, which must not be revised. */
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

/** The most recent memories: a correction may share no word with what it corrects ("I moved to Lisbon"). */
async function lastLearnt(store: MemoryStore, signal: AbortSignal): Promise<readonly MemoryEntry[]> {
  const { list, capabilities } = store as Partial<RecordStore>;
  if (!canRevise(store) || typeof list !== 'function' || !capabilities?.enumerate || !capabilities.filter) return [];
  const page = await list.call(store, { limit: NEWEST, filter: { sourceRun: { exists: true } }, signal });
  return page.items;
}
