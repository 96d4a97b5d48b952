import assert from 'node:assert/strict';
import type { CompactOptions } from '@keepsake/core';
import { foundIds, heldIds, listAll, type RecordStoreCases, range, refuses, SECRET } from './helpers.ts';

export const deleting: RecordStoreCases = {
  concern: 'Deleting',
  cases: [
    {
      title: 'delete returns whether the record existed',
      async run(harness) {
        const store = harness.open();
        assert.equal(await store.delete('one'), false);
        await store.put({ id: 'one', content: 'heron' });
        assert.equal(await store.delete('one'), true);
        assert.equal(await store.delete('one'), false);
      },
    },
    {
      title: 'get does not return a deleted record, in any instance',
      async run(harness) {
        const [a, b] = [harness.open(), harness.open()];
        await a.put({ id: 'one', content: 'heron' });
        assert.ok(await b.get('one'));
        await a.delete('one');
        assert.equal(await a.get('one'), undefined);
        assert.equal(await b.get('one'), undefined);
      },
    },
    {
      title: 'a deleted record is gone from the list',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        const store = harness.open();
        for (const id of ['one', 'two', 'three']) await store.put({ id, content: 'heron' });
        await store.delete('two');
        assert.deepEqual(
          (await listAll(store, { order: 'oldest' })).map(({ id }) => id),
          ['one', 'three'],
        );
      },
    },
    {
      title: 'a deleted record is never found again',
      async run(harness) {
        const [a, b] = [harness.open(), harness.open()];
        await a.put({ id: 'one', content: 'heron' });
        await a.put({ id: 'two', content: 'heron' });
        assert.deepEqual((await foundIds(b, 'heron')).sort(), ['one', 'two']);
        await a.delete('one');
        assert.deepEqual(await foundIds(a, 'heron'), ['two']);
        assert.deepEqual(await foundIds(b, 'heron'), ['two']);
      },
    },
    {
      title: 'delete removes only that record',
      async run(harness, capabilities) {
        const store = harness.open();
        await store.putMany(['one', 'one1', 'on', 'two'].map((id) => ({ id, content: 'heron' })));
        assert.equal(await store.delete('one'), true);
        assert.deepEqual(await heldIds(store, capabilities), ['on', 'one1', 'two']);
      },
    },
    {
      title: 'delete with ifVersion removes just that version',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: `heron ${SECRET}` });
        const second = await store.put({ id: 'one', content: `crane ${SECRET}` });
        for (const ifVersion of [0, 1, second.version - 1, second.version + 1])
          await refuses('CONFLICT', () => store.delete('one', { ifVersion }));
        assert.deepEqual(await store.get('one'), second);
        assert.equal(await store.delete('one', { ifVersion: second.version }), true);
        assert.equal(await store.get('one'), undefined);
      },
    },
    {
      title: 'delete with ifVersion of a missing record returns false, not a conflict',
      async run(harness) {
        const store = harness.open();
        assert.equal(await store.delete('one', { ifVersion: 0 }), false);
        assert.equal(await store.delete('one', { ifVersion: 1 }), false);
      },
    },
    {
      title: 'of many concurrent deletes, one removes the record',
      async run(harness) {
        const stores = [harness.open(), harness.open()];
        await harness.open().put({ id: 'one', content: 'heron' });
        const removed = await Promise.all(
          range(20).map((number) => (number % 2 === 0 ? stores[0] : stores[1])?.delete('one')),
        );
        assert.equal(removed.filter((was) => was === true).length, 1);
      },
    },
    {
      title: 'compact, if present, discards no record that can be read',
      async run(harness, capabilities) {
        const store = harness.open();
        await store.putMany(['one', 'two', 'six'].map((id) => ({ id, content: `heron ${id}` })));
        await store.delete('two');
        await store.compact?.({ discard: () => true });
        assert.deepEqual(await heldIds(harness.open(), capabilities), ['one', 'six']);
        if (store.compact === undefined) return;
        const notFunction = { discard: true } as unknown as CompactOptions;
        await refuses('INVALID_ARGUMENT', async () => store.compact?.(notFunction));
        await refuses('INVALID_ARGUMENT', async () => store.compact?.({ discards: () => true } as CompactOptions));
      },
    },
    {
      title: 'compact, if present, changes no current record',
      async run(harness, capabilities) {
        const [store, other] = [harness.open(), harness.open()];
        await store.putMany(['one', 'two', 'six'].map((id) => ({ id, content: `heron ${id}`, metadata: { id } })));
        await store.delete('two');
        const replaced = await store.put({ id: 'one', content: 'heron again' });
        const below = await store.within(['a']).put({ content: 'heron' });
        await store.compact?.();
        assert.deepEqual(await store.get('one'), replaced);
        assert.equal((await other.get('six'))?.content, 'heron six');
        assert.equal(await other.get('two'), undefined);
        assert.deepEqual(await heldIds(store, capabilities), ['one', 'six']);
        assert.deepEqual((await foundIds(other, 'heron')).toSorted(), ['one', 'six']);
        assert.deepEqual(await store.within(['a']).get(below.id), below);
        const next = await other.put({ id: 'one', content: 'heron' }, { ifVersion: replaced.version });
        assert.equal(next.version, replaced.version + 1);
      },
    },
  ],
};
