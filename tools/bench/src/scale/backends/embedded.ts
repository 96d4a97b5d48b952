import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import type { ScaleBackend } from '../backend.ts';
import { INDEXED as indexed } from '../records.ts';

export const inMemory: ScaleBackend = {
  name: 'InMemoryStore',
  reopens: false,
  async open() {
    const store = new InMemoryStore({ name: 'bench', indexed });
    return { store, close: () => store.close() };
  },
};

export const file: ScaleBackend = {
  name: 'FileStore',
  reopens: true,
  async open(directory) {
    const store = new FileStore({ directory, name: 'bench', durability: 'os', indexed });
    return { store, close: () => store.close() };
  },
};
