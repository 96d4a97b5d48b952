import { importPeer } from '../peers.ts';
import type { Engine } from './engine.ts';

interface Store {
  add(content: string): Promise<string>;
  search(
    query: string,
    options: { readonly maxSearchResults: number },
  ): Promise<readonly { readonly metadata: { readonly path: string } }[]>;
}

interface FileMemory {
  readonly FileMemoryStore: new (options: { readonly name: string; readonly storage: object }) => Store;
}

interface Storage {
  readonly LocalFileStorage: new (directory: string) => object;
}

/** A file an entry, named after its first 50 characters; a search reads them all, and counts the words in common. */
export const strands: Engine = {
  name: 'Strands FileMemoryStore',
  async open({ directory }) {
    const { FileMemoryStore }: FileMemory = await importPeer(
      '@strands-agents/sdk/vended-memory-stores/file-memory-store',
    );
    const { LocalFileStorage }: Storage = await importPeer('@strands-agents/sdk/storage');
    const store = new FileMemoryStore({ name: 'bench', storage: new LocalFileStorage(directory) });
    const placeOf = new Map<string, number>();
    return {
      async add(entries) {
        for (const [place, { content }] of entries.entries()) {
          const path = await store.add(content);
          // What begins like another is not kept: the file stays that of the first.
          if (!placeOf.has(path)) placeOf.set(path, place);
        }
      },
      async search(query, limit) {
        const found = await store.search(query, { maxSearchResults: limit });
        return found.map(({ metadata }) => placeOf.get(metadata.path) as number);
      },
    };
  },
};
