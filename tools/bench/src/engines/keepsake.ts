import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { LexicalIndex } from '@keepsake/search';
import type { Engine, Entry, OpenEngine } from './engine.ts';
import { idOf, placeOf } from './entry-ids.ts';

/** Entries per batch. */
const BATCH = 1_000;

/** Records are put one by one, as in a conversation. */
export const keepsakeStore: Engine = {
  name: 'InMemoryStore',
  open: async () => openStore(new InMemoryStore({ name: 'bench' })),
};

/** A store that is filled one record at a time. */
export function openStore(store: InMemoryStore): OpenEngine {
  return {
    async add(entries) {
      for (const [place, entry] of entries.entries()) await store.put({ ...entry, id: idOf(place) });
    },
    search: (query, limit) => searchStore(store, query, limit),
  };
}

/** Records are put many at a time. */
export const keepsakeStoreInBatches: Engine = {
  name: 'InMemoryStore, putMany',
  async open() {
    const store = new InMemoryStore({ name: 'bench' });
    return {
      add: (entries) => putInBatches(store, entries),
      search: (query, limit) => searchStore(store, query, limit),
    };
  },
};

export const keepsakeFiles: Engine = {
  name: 'FileStore',
  open: async ({ directory }) => openFiles(directory),
  reopen: async ({ directory }) => openFiles(directory),
};

function openFiles(directory: string): OpenEngine {
  const store = new FileStore({ directory, name: 'bench', durability: 'os' });
  return {
    add: (entries) => putInBatches(store, entries),
    search: (query, limit) => searchStore(store, query, limit),
    save: () => store.close(),
    close: () => store.close(),
  };
}

/** The index of the stores, which keeps no texts. */
export const keepsakeIndex: Engine = {
  name: 'LexicalIndex',
  open: async ({ directory }) => openIndex(new LexicalIndex(), directory),
  async reopen({ directory }) {
    const index = LexicalIndex.restore(readFileSync(snapshotIn(directory)));
    if (index === undefined) throw new Error('The snapshot of the index is invalid.');
    return openIndex(index, directory);
  },
};

function openIndex(index: LexicalIndex, directory: string): OpenEngine {
  return {
    async add(entries) {
      // Documents are numbered from 0.
      for (const { content } of entries) index.add(content);
    },
    search: (query, limit) => index.search(query, { limit }).map(({ document }) => document),
    async save() {
      writeFileSync(snapshotIn(directory), index.snapshot());
    },
  };
}

function snapshotIn(directory: string): string {
  return join(directory, 'index.bin');
}

async function putInBatches(store: InMemoryStore | FileStore, entries: readonly Entry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += BATCH) {
    const batch = entries.slice(from, from + BATCH);
    await store.putMany(batch.map((entry, index) => ({ ...entry, id: idOf(from + index) })));
  }
}

async function searchStore(store: InMemoryStore | FileStore, query: string, limit: number): Promise<number[]> {
  const found = await store.search(query, { maxSearchResults: limit });
  return found.map(({ id }) => placeOf(id as string));
}
