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

/** Without embeddings it takes a query and does not look at it. */
export const langgraph: Engine = {
  name: 'LangGraph InMemoryStore',
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
