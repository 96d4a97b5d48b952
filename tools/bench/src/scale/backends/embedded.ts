import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import type { ScaleBackend } from '../backend.ts';

export const inMemory: ScaleBackend = {
  name: 'InMemoryStore',
  reopens: false,
  async open() {
    const store = new InMemoryStore({ name: 'bench' });
    return { store, close: () => store.close() };
  },
};

export const file: ScaleBackend = {
  name: 'FileStore',
  reopens: true,
  async open(directory) {
    const store = new FileStore({ directory, name: 'bench', durability: 'os' });
    return { store, close: () => store.close() };
  },
};
