import type { JsonObject, MemoryEntry, MemoryStore, SearchOptions } from '../../src/index.ts';

/** What a store was asked and told, in order. */
export interface Calls {
  readonly searches: { readonly query: string; readonly options: SearchOptions }[];
  readonly adds: { readonly content: string; readonly metadata: JsonObject | undefined }[];
}

/** A store that gives the same entries for every search, and takes whatever is added. */
export function listStore(
  name: string,
  contents: readonly (string | MemoryEntry)[] = [],
  overrides: Partial<MemoryStore> = {},
): MemoryStore & Calls {
  const calls: Calls = { searches: [], adds: [] };
  return {
    name,
    writable: true,
    ...calls,
    async search(query, options = {}) {
      calls.searches.push({ query, options });
      const entries = contents.map((entry) => (typeof entry === 'string' ? { content: entry } : entry));
      return entries.slice(0, options.maxSearchResults);
    },
    async add(content, metadata) {
      calls.adds.push({ content, metadata });
      return `${name}: ${content}`;
    },
    ...overrides,
  };
}

/** A store that never answers a search. */
export function hangingStore(name: string): MemoryStore {
  return listStore(name, [], { search: () => new Promise(() => {}) });
}

/** A store whose search throws, before there is a promise. */
export function throwingStore(name: string, error: Error = new TypeError('down')): MemoryStore {
  return listStore(name, [], {
    search: () => {
      throw error;
    },
  });
}

/** A store that answers searches with what a search must not give. */
export function garbageStore(name: string, answer: unknown): MemoryStore {
  return listStore(name, [], { search: async () => answer as MemoryEntry[] });
}

export function contentsOf(entries: readonly MemoryEntry[]): string[] {
  return entries.map(({ content }) => content);
}
