import type { MemoryEntry, MemoryStore, SearchOptions } from '@keepsake/core';
import { Agent } from '@strands-agents/sdk';
import { BedrockModel } from '../scripted/bedrock-model.ts';

class InMemoryStore implements MemoryStore {
  readonly name = 'preferences';
  readonly writable = true;
  readonly #entries: string[] = [];

  async search(query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    const limit = options?.maxSearchResults ?? 3;
    return this.#entries
      .filter((content) => content.includes(query))
      .slice(0, limit)
      .map((content) => ({ content }));
  }

  async add(content: string): Promise<void> {
    this.#entries.push(content);
  }
}

const store = new InMemoryStore();
const agent = new Agent({ model: new BedrockModel(), memoryManager: { stores: [store] }, printer: false });

await store.add('Alice likes aisle seats.');
console.log(String(await agent.invoke('aisle seats')));
