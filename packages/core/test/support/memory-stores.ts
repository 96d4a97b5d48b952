import type { JsonObjectInput, MemoryEntry, MemoryStore, SearchOptions } from '../../src/index.ts';

/** The recorded calls of a store, in order. */
export interface Calls {
  readonly searches: { readonly query: string; readonly options: SearchOptions }[];
  readonly adds: { readonly content: string; readonly metadata: JsonObjectInput | undefined }[];
}

/** A store that returns the same entries for every search, and records its calls. */
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

/** A store whose search throws synchronously. */
export function throwingStore(name: string, error: Error = new TypeError('down')): MemoryStore {
  return listStore(name, [], {
    search: () => {
      throw error;
    },
  });
}

/** A store whose searches return an invalid answer. */
export function garbageStore(name: string, answer: unknown): MemoryStore {
  return listStore(name, [], { search: async () => answer as MemoryEntry[] });
}

export function contentsOf(entries: readonly MemoryEntry[]): string[] {
  return entries.map(({ content }) => content);
}
