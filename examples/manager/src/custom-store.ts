import { type MemoryEntry, MemoryManager, type MemoryStore, type SearchOptions } from '@keepsake/core';

class ListStore implements MemoryStore {
  readonly name = 'preferences';
  readonly description = 'What the user likes.';
  readonly writable = true;
  readonly #entries: string[] = [];

  async search(query: string, { maxSearchResults = 3 }: SearchOptions = {}): Promise<MemoryEntry[]> {
    const words = query.toLowerCase().split(/\W+/).filter(Boolean);
    return this.#entries
      .filter((content) => words.some((word) => content.toLowerCase().includes(word)))
      .slice(0, maxSearchResults)
      .map((content) => ({ content }));
  }

  async add(content: string): Promise<void> {
    if (!this.#entries.includes(content)) this.#entries.push(content);
  }
}

const memory = new MemoryManager({ stores: [new ListStore()] });
await memory.add('Prefers aisle seats.');
console.log(await memory.search('seats?'));
