import type { MemoryStore } from '@keepsake/core';
import type { MemoryStoreCapabilities, MemoryStoreHarness } from '../../src/memory-store/harness.ts';
import { ALL, newTree, type Parts, referenceStore } from '../record-store/reference.ts';

/** A broken memory store: the reference with a wrong part, or with other methods. */
export interface Mutant {
  readonly parts?: Partial<Parts>;
  readonly override?: (store: Whole) => Partial<MemoryStore>;
  /** Has all methods, whatever capabilities it declares. */
  readonly hasAll?: boolean;
  /** Accepts any identity. */
  readonly unchecked?: boolean;
}

/** A memory store with all optional methods. */
export type Whole = MemoryStore & Required<Pick<MemoryStore, 'add' | 'addMessages'>>;

export const WHOLE: MemoryStoreCapabilities = {
  search: 'lexical',
  add: true,
  addMessages: 'verbatim',
  filter: true,
};

export const DISTILLING: MemoryStoreCapabilities = { ...WHOLE, addMessages: 'distilled' };

export const LEAST: MemoryStoreCapabilities = { search: 'lexical', add: false, addMessages: false, filter: false };

/** The reference record store, reduced to a memory store with these capabilities. */
export function memoryHarness(capabilities = WHOLE, mutant: Mutant = {}): MemoryStoreHarness {
  const { parts, override, hasAll = false, unchecked = false } = mutant;
  const tree = newTree();
  const can: Partial<Parts> = { capabilities: { ...ALL, filter: capabilities.filter }, ...parts };
  return {
    open(identity = {}) {
      const { name, description, maxSearchResults, writable, search, add, addMessages } = referenceStore(
        tree,
        [],
        unchecked ? {} : identity,
        can,
      );
      const whole: Whole = {
        name,
        writable,
        ...(description === undefined ? {} : { description }),
        ...(maxSearchResults === undefined ? {} : { maxSearchResults }),
        search,
        add,
        addMessages: capabilities.addMessages === 'distilled' ? distilling({ add }) : addMessages,
        tools: () => [lookTool],
      };
      return without(Object.assign(whole, override?.({ ...whole })), hasAll ? WHOLE : capabilities);
    },
    async fill(contents) {
      const store = referenceStore(tree, [], {}, can);
      for (const content of contents) await store.add(content);
    },
  };
}

const lookTool = {
  name: 'look',
  description: 'Looks at the river.',
  inputSchema: { type: 'object' },
  execute: async () => null,
};

function distilling({ add }: Pick<Whole, 'add'>): Whole['addMessages'] {
  return async (messages) => (messages.length > 0 ? add(`They said ${messages.length} things.`) : undefined);
}

function without(store: Whole, capabilities: MemoryStoreCapabilities): MemoryStore {
  const { add, addMessages, ...least } = store;
  return {
    ...least,
    ...(capabilities.add ? { add } : {}),
    ...(capabilities.addMessages === false ? {} : { addMessages }),
  };
}
