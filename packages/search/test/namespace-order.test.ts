import type { Namespace } from '@keepsake/core';
import { isBelow, nextNamespaces } from '@keepsake/core/adapter';
import { NamespaceOrder } from '@keepsake/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

interface Place {
  readonly namespace: Namespace;
}

const keyOf = (namespace: Namespace) => JSON.stringify(namespace);
const segment = fc.constantFrom('a', 'b', 'ab', 'a\u0001', '!', '\uffff');
const namespace = fc.array(segment, { maxLength: 4 });

function orderOf(namespaces: readonly Namespace[]): NamespaceOrder<Place> {
  const order = new NamespaceOrder<Place>();
  for (const one of namespaces) order.set({ namespace: one });
  return order;
}

const namesOf = (places: Iterable<Place>) => [...places].map(({ namespace }) => namespace.join('/'));

describe('an order of namespaces', () => {
  it('lists what nextNamespaces lists, after any changes', async () => {
    const step = fc.record({ namespace, isRemoval: fc.boolean(), lists: fc.boolean() });
    const list = fc.record({
      below: namespace,
      after: fc.option(namespace, { nil: undefined }),
      segment: fc.option(segment, { nil: undefined }),
      beyond: fc.option(namespace, { nil: undefined }),
      limit: fc.integer({ min: 1, max: 5 }),
      empty: fc.boolean(),
    });
    const isFilled = (one: Namespace) => (one.length % 2 === 0 ? 2 : 0);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), list, async (steps, { below, ...page }) => {
        const order = new NamespaceOrder<Place>();
        const model = new Map<string, Namespace>();
        for (const { namespace: one, isRemoval, lists } of steps) {
          if (isRemoval) order.delete(one);
          else order.set({ namespace: one });
          if (isRemoval) model.delete(keyOf(one));
          else model.set(keyOf(one), one);
          // Brings the order up to date.
          if (lists)
            expect([...order.below([])]).toHaveLength([...model.values()].filter((has) => has.length > 0).length);
        }
        const all = [...model.values()].filter((one) => isBelow(one, below));
        const expected = await nextNamespaces(all, page, isFilled);
        expect(await order.next(below, page, (place) => isFilled(place.namespace))).toEqual(expected);
        for (const one of model.values()) expect(order.get(one)?.namespace).toEqual(one);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is right after many changes at once', () => {
    const users = Array.from({ length: 3_000 }, (_, n) => ['agent', 'u', `user${String(n).padStart(4, '0')}`]);
    const order = orderOf(users);
    expect(namesOf(order.below(['agent', 'u']))).toEqual(users.map((one) => one.join('/')));
    for (const user of users.slice(0, 2_000)) order.delete(user);
    expect(namesOf(order.below([]))).toEqual(users.slice(2_000).map((one) => one.join('/')));
    expect(namesOf(order.below([], { segment: 'user2500' }))).toEqual(['agent/u/user2500']);
    expect(namesOf(order.below([], { segment: 'user0500' }))).toEqual([]);
  });

  it('goes on behind the last place when it changes while it is read', () => {
    const order = orderOf([['a'], ['b'], ['d'], ['e']]);
    const seen: string[] = [];
    for (const { namespace } of order.below([])) {
      seen.push(namespace.join('/'));
      if (seen.length !== 2) continue;
      order.delete(['a']);
      order.delete(['d']);
      order.set({ namespace: ['a', 'late'] });
      order.set({ namespace: ['c'] });
      // Another reader brings the order up to date.
      expect(namesOf(order.below([]))).toEqual(['a/late', 'b', 'c', 'e']);
    }
    expect(seen).toEqual(['a', 'b', 'c', 'e']);
  });

  it('leaves out what was removed since it was sorted', () => {
    const order = orderOf([['a'], ['b'], ['c']]);
    const seen: string[] = [];
    for (const { namespace } of order.below([])) {
      seen.push(namespace.join('/'));
      order.delete(['b']);
    }
    expect(seen).toEqual(['a', 'c']);
  });
});
