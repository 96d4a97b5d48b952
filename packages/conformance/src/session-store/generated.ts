import assert from 'node:assert/strict';
import type { SessionStore } from '@keepsake/core';
import fc from 'fast-check';
import { sayAll } from '../session/items.ts';
import { listAll, type SessionStoreCase, type SessionStoreCaseGroup } from './harness.ts';

const ids = ['a', 'A', 'ab', 'a*', 'a/b', '../a', '%'];

const command = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'pop', 'clear', 'compact', 'delete'),
  id: fc.constantFrom(...ids),
  count: fc.integer({ min: 0, max: 3 }),
});

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** Performs the command on the store and on the model, which maps each session to its number of items. */
async function apply(store: SessionStore, model: Map<string, number>, { kind, id, count }: Command): Promise<void> {
  const before = model.get(id);
  switch (kind) {
    case 'add':
      await store.open(id).addItems(sayAll('item', count));
      if (count > 0) model.set(id, (before ?? 0) + count);
      return;
    case 'pop':
      await store.open(id).popItem();
      if (before !== undefined) model.set(id, Math.max(0, before - 1));
      return;
    case 'clear':
      await store.open(id).clearSession();
      if (before !== undefined) model.set(id, 0);
      return;
    case 'compact':
      // At least one item: whether a compaction to no items creates the session is unspecified.
      await store.open(id).replaceHistoryWithCompaction(sayAll('summary', count + 1));
      model.set(id, count + 1);
      return;
    default:
      assert.equal(await store.delete(id), model.delete(id));
  }
}

const cases: SessionStoreCase[] = [
  {
    title: 'after any history of several sessions, the list equals that of a plain map',
    async run({ store }) {
      const property = fc.asyncProperty(fc.array(command, { maxLength: 20, size: 'max' }), async (history) => {
        for (const id of ids) await store.delete(id);
        const model = new Map<string, number>();
        for (const one of history) await apply(store, model, one);
        const listed = (await listAll(store)).map(({ sessionId, itemCount }) => `${sessionId} ${itemCount}`);
        assert.deepEqual(listed.sort(), [...model].map(([id, count]) => `${id} ${count}`).sort());
      });
      await fc.assert(property, { numRuns: 30, interruptAfterTimeLimit: 20_000 });
    },
  },
];

export const generated: SessionStoreCaseGroup = { concern: 'generated histories', cases };
