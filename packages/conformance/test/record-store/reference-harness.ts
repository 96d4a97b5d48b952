import { byDay } from '@keepsake/testing/share';
import type { RecordStoreHarness } from '../../src/record-store/harness.ts';
import { ALL, NO_FILTER, NONE, newTree, type Parts, referenceStore } from './reference.ts';

/** A tree of reference stores, correct or with changed parts. */
export function referenceHarness(changed: Partial<Parts> = {}): RecordStoreHarness {
  const tree = newTree();
  return {
    open: ({ namespace = [], ...identity } = {}) => referenceStore(tree, namespace, identity, changed),
  };
}

const EVENTUAL = { ...ALL, consistency: 'eventual' } as const;

/** An eventually consistent reference: reads see only settled writes. */
function laggingHarness(): RecordStoreHarness {
  const [written, seen] = [newTree(), newTree()];
  const parts: Partial<Parts> = {
    capabilities: EVENTUAL,
    override: (store) => {
      const { maxSearchResults = 10 } = store;
      const { get, history, search, list, namespaces, close } = referenceStore(seen, store.namespace, {
        maxSearchResults,
      });
      const closeBoth = () => Promise.all([store.close(), close()]).then(() => undefined);
      return { get, history, search, list, namespaces, close: closeBoth, [Symbol.asyncDispose]: closeBoth };
    },
  };
  return {
    open: ({ namespace = [], ...identity } = {}) => referenceStore(written, namespace, identity, parts),
    settle: async () => {
      seen.places.clear();
      for (const [key, place] of structuredClone(written.places)) seen.places.set(key, place);
    },
  };
}

/** What runs under other test runners. */
export const FEW = byDay({ concerns: ['Capabilities', 'Putting', 'Time to live'] });

/** Correct stores with different capabilities. */
export const VARIANTS = {
  'the reference': { capabilities: ALL, harness: () => referenceHarness() },
  'a reference with the fewest capabilities': {
    capabilities: NONE,
    harness: () => referenceHarness({ capabilities: NONE }),
  },
  'a reference that lists but cannot filter': {
    capabilities: NO_FILTER,
    harness: () => referenceHarness({ capabilities: NO_FILTER }),
  },
  'an eventually consistent reference': { capabilities: EVENTUAL, harness: laggingHarness },
};
