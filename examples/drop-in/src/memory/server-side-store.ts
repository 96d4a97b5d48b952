import type {
  AddMessagesContext,
  MemoryEntry,
  MemoryStore,
  Message as MessageData,
  SearchOptions,
} from '@keepsake/core';
import { Agent } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

/** Stands for a service that distils conversations itself. */
const backend = {
  conversations: [] as (readonly MessageData[])[],
  async retrieve(_query: string, limit = 3): Promise<MemoryEntry[]> {
    return this.conversations.slice(0, limit).map((messages) => ({ content: `${messages.length} messages` }));
  },
  async ingest(messages: readonly MessageData[]): Promise<void> {
    this.conversations.push(messages);
  },
};

class ServerSideStore implements MemoryStore {
  readonly name = 'preferences';
  readonly writable = true;
  // Without an extractor, the manager passes messages to addMessages, every 5 turns.
  readonly extraction = true;

  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    return backend.retrieve(query, options?.maxSearchResults);
  }

  async addMessages(messages: MessageData[], _context?: AddMessagesContext): Promise<void> {
    await backend.ingest(messages);
  }
}

const agent = new Agent({
  model: new BedrockModel(),
  memoryManager: { stores: [new ServerSideStore()] },
  printer: false,
});

for (let turn = 1; turn <= 5; turn++) await agent.invoke(`I have visited city ${turn}.`);
await agent.memoryManager?.flush();
console.log(backend.conversations.map(({ length }) => length));
