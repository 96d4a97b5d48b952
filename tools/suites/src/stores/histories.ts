import type { RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { SEED } from '@keepsake/testing/torture/seed';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../outcome-of.ts';

const RUNS = rounds(1000);
const COMMANDS = 50;

interface Known {
  readonly content: string;
  /** How many puts it has had. */
  readonly puts: number;
}
type Change =
  | { readonly do: 'put'; readonly ids: string[]; readonly content: string }
  | { readonly do: 'put if'; readonly ids: string[]; readonly content: string; readonly puts: number }
  | { readonly do: 'delete'; readonly ids: string[] }
  | { readonly do: 'clear' };

const id = fc.constantFrom('a', 'b', 'a*', '__proto__', 'ä');
const content = fc.constantFrom('heron one', 'heron two', 'heron three');
const one = id.map((id) => [id]);
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      ids: fc.array(id, { minLength: 1, maxLength: 3 }),
      content,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('put if' as const), ids: one, content, puts: fc.nat(3) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), ids: one }) },
  { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
);

function applyChange(model: Map<string, Known>, change: Change): unknown {
  if (change.do === 'clear') {
    const { size } = model;
    model.clear();
    return size;
  }
  const [first = ''] = change.ids;
  if (change.do === 'delete') return model.delete(first);
  if (change.do === 'put if' && (model.get(first)?.puts ?? 0) !== change.puts) return 'CONFLICT';
  return change.ids.map((id) => {
    const puts = (model.get(id)?.puts ?? 0) + 1;
    model.set(id, { content: change.content, puts });
    return puts;
  });
}

async function performChange(store: RecordStore, change: Change): Promise<unknown> {
  if (change.do === 'clear') return store.clear();
  const [first = ''] = change.ids;
  if (change.do === 'delete') return store.delete(first);
  if (change.do === 'put if') {
    const { content, puts } = change;
    const { version = 0 } = (await store.get(first)) ?? {};
    const ifVersion = version === 0 || puts === 0 ? puts : version - putCount(version) + puts;
    return [putCount((await store.put({ id: first, content }, { ifVersion })).version)];
  }
  const records = await store.putMany(change.ids.map((id) => ({ id, content: change.content })));
  return records.map(({ version }) => putCount(version));
}

/**
 * Compares generated histories of changes, through alternating instances, with a plain map.
 *
 * @param open - Opens an instance of the store in that namespace.
 */
export function describeStoreHistories(where: string, open: (namespace: string[]) => RecordStore): void {
  describe.concurrent(`generated histories of a store ${where}`, () => {
    it(`${RUNS} of ${COMMANDS} changes have the same results as a plain map`, async (context) => {
      let runs = 0;
      const history = fc.array(change, { minLength: COMMANDS, maxLength: COMMANDS });
      const oneHistory = fc.asyncProperty(history, async (changes) => {
        const namespace = [`history ${runs++}`];
        const stores = [open(namespace), open(namespace)] as const;
        const model = new Map<string, Known>();
        for (const [n, change] of changes.entries()) {
          const outcome = await outcomeOf(performChange(stores[n % 2 === 0 ? 0 : 1], change));
          expect(outcome).toEqual(applyChange(model, change));
        }
        for (const store of [...stores, open(namespace)]) {
          const { items } = await store.list({ order: 'oldest' });
          expect(items.map(({ id, content, version }) => [id, { content, puts: putCount(version) }])).toEqual([
            ...model,
          ]);
          expect(await store.search('heron', { maxSearchResults: 10 })).toHaveLength(model.size);
        }
      });
      await fc.assert(oneHistory, { numRuns: RUNS, seed: SEED });
      expect(runs).toBe(RUNS);
      show(
        context,
        3,
        `stores ${where}: ${count(RUNS)} generated histories x ${COMMANDS} changes (put, putMany, ifVersion, delete, clear) through 2 instances: equal to the model`,
      );
    });
  });
}
