import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { SqliteStore } from '@keepsake/sqlite';
import { openStrandsStore } from '../engines/strands.ts';
import { importPeer } from '../peers.ts';
import type { Contender } from './contender.ts';
import { openServerMemory } from './server-memory.ts';

const files: Contender = {
  name: 'Keepsake FileStore',
  isShared: true,
  isPeer: false,
  open: async (directory) => openKeepsake(new FileStore({ directory, name: 'bench' })),
};

const sqlite: Contender = {
  name: 'Keepsake SqliteStore',
  isShared: true,
  isPeer: false,
  open: async (directory) => openKeepsake(new SqliteStore({ file: join(directory, 'memory.db'), name: 'bench' })),
};

function openKeepsake(store: FileStore | SqliteStore) {
  return {
    write: (text: string) => store.add(text),
    read: async () => (await store.list({ limit: 1_000 })).items.map(({ content }) => content).join('\n'),
    close: () => store.close(),
  };
}

const serverMemory: Contender = {
  name: 'MCP server-memory',
  note: 'each process has a server of its own, as each client does',
  isShared: true,
  isPeer: true,
  open: openServerMemory,
};

const strands: Contender = {
  name: 'Strands FileMemoryStore',
  isShared: true,
  isPeer: true,
  async open(directory) {
    const store = await openStrandsStore(directory);
    return {
      write: (text) => store.add(text),
      read: async () => JSON.stringify(await store.search('fact', { maxSearchResults: 1_000 })),
    };
  },
};

interface LangGraph {
  readonly InMemoryStore: new () => {
    put(namespace: readonly string[], key: string, value: object): Promise<void>;
    search(namespace: readonly string[], options: { readonly limit: number }): Promise<unknown>;
  };
}

const langgraph: Contender = {
  name: 'LangGraph InMemoryStore',
  note: 'keeps nothing after its process',
  isShared: false,
  isPeer: true,
  async open() {
    const { InMemoryStore }: LangGraph = await importPeer('@langchain/langgraph');
    const store = new InMemoryStore();
    return {
      write: (text) => store.put(['bench'], text, { text }),
      read: async () => JSON.stringify(await store.search(['bench'], { limit: 1_000 })),
    };
  },
};

interface OpenAIAgents {
  readonly MemorySession: new () => { addItems(items: object[]): Promise<void>; getItems(): Promise<object[]> };
}

const openaiAgents: Contender = {
  name: 'OpenAI Agents MemorySession',
  note: 'keeps nothing after its process',
  isShared: false,
  isPeer: true,
  async open() {
    const { MemorySession }: OpenAIAgents = await importPeer('@openai/agents');
    const session = new MemorySession();
    return {
      write: (text) => session.addItems([{ role: 'user', content: text }]),
      read: async () => JSON.stringify(await session.getItems()),
    };
  },
};

export const CONTENDERS: readonly Contender[] = [files, sqlite, serverMemory, strands, langgraph, openaiAgents];

export function contenderNamed(name: string): Contender {
  const found = CONTENDERS.find((contender) => contender.name === name);
  if (found === undefined) throw new Error(`There is no contender ${name}.`);
  return found;
}
