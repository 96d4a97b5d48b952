import { setTimeout as wait } from 'node:timers/promises';
import type { MemoryEntry, MemoryStore, SearchOptions } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { turn } from './messages.ts';

/**
 * What to search: a store with a number of records, or one that answers after a number of milliseconds; 0 is immediately.
 */
export type Searched = { readonly records: number } | { readonly afterMs: number };

/** A store that records the duration of its own searches. */
export interface TimedStore extends MemoryStore {
  /** The duration of the last search, in milliseconds. */
  readonly ownMs: () => number;
}

/** Creates a store with a unique name. */
export async function timedStore(searched: Searched, name: string): Promise<TimedStore> {
  const store = 'records' in searched ? await filled(searched.records, name) : answering(searched.afterMs, name);
  let ownMs = Number.NaN;
  return {
    name,
    writable: false,
    async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
      const start = performance.now();
      const found = await store.search(query, options);
      ownMs = performance.now() - start;
      return found;
    },
    ownMs: () => ownMs,
  };
}

async function filled(records: number, name: string): Promise<MemoryStore> {
  const store = new InMemoryStore({ name });
  const contents = Array.from({ length: records / 2 }, (_, index) => turn(index)).flat();
  await store.putMany(contents.map(({ content }) => ({ content: content as string })));
  return store;
}

const FIVE = 5;

function answering(afterMs: number, name: string): Pick<MemoryStore, 'search'> {
  const entries = Array.from({ length: FIVE }, (_, index) => ({
    content: `Entry ${index} of ${name} says that the old boat in the harbour is green by now.`,
    createdAt: '2026-11-22T08:00:00.000Z',
    score: FIVE - index,
  }));
  return {
    async search(_query, { maxSearchResults = FIVE } = {}) {
      if (afterMs > 0) await wait(afterMs);
      return entries.slice(0, maxSearchResults);
    },
  };
}
