import { InvocationTrigger, type MemoryManagerOptions, type RecordStore, type StoreIdentity } from '@keepsake/core';
import { InMemoryStore } from '../../src/index.ts';
import { managerOf } from '../extraction/support.ts';

/** A store that learns from every turn, word for word. */
export function learningStore(name = 'personal', identity: Partial<StoreIdentity> = {}): InMemoryStore {
  return new InMemoryStore({ name, extraction: { trigger: new InvocationTrigger() }, ...identity });
}

/** A manager with a store that learns from every turn. */
export function learningManager(options: Partial<MemoryManagerOptions> = {}) {
  const store = learningStore();
  return { store, ...managerOf({ stores: [store], ...options }) };
}

/** What a store holds, in order: who said it, and what. */
export async function saidIn(store: RecordStore): Promise<string[]> {
  const { items } = await store.list({ order: 'oldest' });
  return items.map(({ content, turn }) => (turn === undefined ? content : `${turn.speaker}: ${content}`));
}

/** The contents of records or entries. */
export function contentsOf(memories: readonly { readonly content: string }[]): string[] {
  return memories.map(({ content }) => content);
}
