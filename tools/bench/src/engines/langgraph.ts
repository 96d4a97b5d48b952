import { importPeer } from '../peers.ts';
import type { Engine } from './engine.ts';

interface Store {
  put(namespace: readonly string[], key: string, value: object): Promise<void>;
  search(
    namespace: readonly string[],
    options: { readonly query: string; readonly limit: number },
  ): Promise<readonly { readonly key: string }[]>;
}

interface LangGraph {
  readonly InMemoryStore: new () => Store;
}

const NAMESPACE = ['bench'];

export const langgraph: Engine = {
  name: 'LangGraph InMemoryStore',
  note: 'ignores its query, because it has no embeddings here: every search returns the first entries that were put',
  async open() {
    const { InMemoryStore }: LangGraph = await importPeer('@langchain/langgraph');
    const store = new InMemoryStore();
    return {
      async add(entries) {
        for (const [place, { content }] of entries.entries()) await store.put(NAMESPACE, String(place), { content });
      },
      async search(query, limit) {
        const found = await store.search(NAMESPACE, { query, limit });
        return found.map(({ key }) => Number(key));
      },
    };
  },
};
