import { importPeer } from '../peers.ts';
import type { Engine, Entry } from './engine.ts';

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

/** One file per entry, named after its first 50 characters. A search reads all files and counts the common words. */
export const strands: Engine = {
  name: 'Strands FileMemoryStore',
  async open({ directory }) {
    const store = await openStrandsStore(directory);
    const placeOf = new Map<string, number>();
    return {
      async add(entries) {
        for (const [place, path] of (await addToStrands(store, entries)).entries()) {
          // An entry with the same beginning as another gets no file: the first one keeps it.
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

/** An empty store. */
export async function openStrandsStore(directory: string): Promise<Store> {
  const { FileMemoryStore }: FileMemory = await importPeer(
    '@strands-agents/sdk/vended-memory-stores/file-memory-store',
  );
  const { LocalFileStorage }: Storage = await importPeer('@strands-agents/sdk/storage');
  return new FileMemoryStore({ name: 'bench', storage: new LocalFileStorage(directory) });
}

/** Adds entries in order. Returns the path of each. */
export async function addToStrands(store: Store, entries: readonly Entry[]): Promise<string[]> {
  const paths: string[] = [];
  for (const { content } of entries) paths.push(await store.add(content));
  return paths;
}
