import {
  type BaseStore,
  type Item,
  InMemoryStore as LangGraphStore,
  type Operation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { expect } from 'vitest';
import { KeepsakeStore } from '../../src/index.ts';
import type { RunningBackend } from '../backends/backend.ts';

/** How many batches one generated history has. */
export const BATCHES = 20;

/** Above the number of items of a run: a search with this limit returns all of them. */
const ALL = 500;

const label = fc.constantFrom('a', 'b', 'a1', 'users', 'z %*Ä');
const namespace = fc.array(label, { minLength: 1, maxLength: 3 });
const key = fc.constantFrom('k1', 'k2', 'a:b', 'x/../*', '__proto__', 'K');
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, -1.5, '1', '', 'red', 'Red', '\u0000\ud800');
const value = fc.dictionary(
  fc.constantFrom('n', 'color', 'createdAt', 'nested', '__proto__', '$langgraph', 'content'),
  fc.oneof(
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(['x', 1], { deep: [{}] }) },
  ),
  { noNullPrototype: true },
);
const operator = fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte');
const condition = fc.oneof(
  scalar,
  fc.dictionary(operator, scalar, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
  fc.record({ $in: fc.array(scalar) }),
  fc.record({ $nin: fc.array(scalar) }),
);
const filter = fc.dictionary(fc.constantFrom('n', 'color', 'createdAt'), condition, {
  maxKeys: 2,
  noNullPrototype: true,
});
const limit = fc.option(fc.constantFrom(0, 1, 2, 3, ALL), { nil: undefined });
const offset = fc.option(fc.constantFrom(0, 1, 4), { nil: undefined });
const pattern = fc.array(fc.oneof(label, fc.constant('*')), { minLength: 1, maxLength: 3 });

const get = fc.record({ namespace, key });
const put = fc.record({ namespace, key, value: fc.option(value, { freq: 4 }) });
const search = fc.record({
  namespacePrefix: fc.oneof(namespace, fc.constant<string[]>([])),
  filter: fc.option(filter, { nil: undefined }),
  limit,
  offset,
});
const list = fc.record({
  matchConditions: fc.array(fc.record({ matchType: fc.constantFrom('prefix', 'suffix'), path: pattern }), {
    maxLength: 2,
  }),
  maxDepth: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  limit,
  offset,
});
const operation = fc.oneof(
  { weight: 2, arbitrary: get },
  { weight: 5, arbitrary: put },
  { weight: 3, arbitrary: search },
  { weight: 1, arbitrary: list },
);
const batch = fc.array(operation, { minLength: 1, maxLength: 6 }) as fc.Arbitrary<Operation[]>;

/** Gives generated histories to a backend and to InMemoryStore of LangGraph. Returns the number of batches. */
export async function compareHistories(running: RunningBackend, numRuns: number, seed: number): Promise<number> {
  let batches = 0;
  const history = fc.array(batch, { minLength: BATCHES, maxLength: BATCHES });
  await fc.assert(
    fc.asyncProperty(history, async (operations) => {
      const store = running.place().open();
      const [ours, theirs] = [new KeepsakeStore({ store }), new LangGraphStore()];
      copyItems(theirs);
      for (const one of operations) {
        dropEmptyNamespaces(theirs);
        await expectSameAnswers(ours, theirs, one);
        batches++;
      }
    }),
    // Without shrinking, which would count more batches.
    { numRuns, seed, endOnFailure: true },
  );
  return batches;
}

/** The fault "a namespace stays listed after its last item was deleted", see the table. */
function dropEmptyNamespaces(theirs: LangGraphStore): void {
  const { data } = theirs as unknown as { readonly data: Map<string, Map<string, unknown>> };
  for (const [namespace, items] of data) if (items.size === 0) data.delete(namespace);
}

/** The fault "an item that was read changes with the next put", see the table. */
function copyItems(theirs: LangGraphStore): void {
  const inside = theirs as unknown as { getOperation(operation: Operation): Item | null };
  const { getOperation } = inside;
  inside.getOperation = (operation) => {
    const item = getOperation.call(theirs, operation);
    return item && { ...item };
  };
}

async function expectSameAnswers(ours: BaseStore, theirs: BaseStore, operations: Operation[]): Promise<void> {
  const searches = operations.filter((one): one is SearchOperation => 'namespacePrefix' in one);
  // Whole results beside each page.
  const whole = searches.map((one): Operation => ({ ...one, limit: ALL, offset: 0 }));
  const asked = [...operations, ...whole];
  const answers: readonly unknown[] = await ours.batch(asked);
  const expected: readonly unknown[] = await theirs.batch(structuredClone(asked));
  const wholes = answers.slice(operations.length) as SearchItem[][];
  for (const [index, one] of operations.entries()) {
    const [answer, wanted] = [answers[index], expected[index]];
    if ('namespacePrefix' in one) {
      const at = searches.indexOf(one);
      const { limit = 10, offset = 0 } = one;
      const theirWhole = expected[operations.length + at] as SearchItem[];
      expect(byNamespace(wholes[at] as SearchItem[])).toEqual(byNamespace(theirWhole));
      expect(answer).toEqual((wholes[at] as SearchItem[]).slice(offset, offset + limit));
      // The order of namespaces is free, see the table.
      expect((answer as unknown[]).length).toBe((wanted as unknown[]).length);
    } else if ('key' in one) {
      expect(withoutTimes(answer)).toEqual(withoutTimes(wanted));
    } else {
      expect(answer).toEqual(wanted);
    }
  }
}

/** The items of each namespace, in their order. */
function byNamespace(items: readonly SearchItem[]): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const item of items) {
    const namespace = JSON.stringify(item.namespace);
    found[namespace] = [...(found[namespace] ?? []), withoutTimes(item)];
  }
  return found;
}

function withoutTimes(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const { createdAt, updatedAt, ...rest } = item as SearchItem;
  expect([createdAt, updatedAt].every((time) => time instanceof Date)).toBe(true);
  expect(createdAt.getTime()).toBeLessThanOrEqual(updatedAt.getTime());
  return rest;
}
