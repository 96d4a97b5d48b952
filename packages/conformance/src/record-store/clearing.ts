import assert from 'node:assert/strict';
import { putCount } from '@keepsake/core/adapter';
import { countsBelow, foundIds, listAll, type RecordStoreCases } from './helpers.ts';

export const clearing: RecordStoreCases = {
  concern: 'Clearing',
  cases: [
    {
      title: 'clear removes all records and returns their number',
      async run(harness) {
        const store = harness.open();
        await store.putMany(['one', 'two', 'three'].map((id) => ({ id, content: 'heron' })));
        await store.put({ id: 'three', content: 'heron again' });
        await store.delete('two');
        assert.equal(await store.clear(), 2);
        for (const id of ['one', 'two', 'three']) assert.equal(await store.get(id), undefined);
      },
    },
    {
      title: 'a cleared store lists nothing',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        const store = harness.open();
        await store.putMany(['one', 'two'].map((id) => ({ id, content: 'heron' })));
        await store.clear();
        assert.deepEqual(await listAll(store), []);
        assert.deepEqual(await listAll(harness.open()), []);
      },
    },
    {
      title: 'a cleared store finds nothing',
      async run(harness) {
        const store = harness.open();
        await store.putMany(['one', 'two'].map((id) => ({ id, content: 'heron' })));
        await store.clear();
        assert.deepEqual(await foundIds(store, 'heron'), []);
        assert.deepEqual(await foundIds(harness.open(), 'heron'), []);
      },
    },
    {
      title: 'clear of an empty store removes 0 records',
      async run(harness) {
        const store = harness.open();
        assert.equal(await store.clear(), 0);
        await store.put({ content: 'heron' });
        await store.clear();
        assert.equal(await store.clear(), 0);
        assert.equal(await store.clear({ descendants: true }), 0);
      },
    },
    {
      title: 'a cleared store accepts records again, as new ones',
      async run(harness) {
        const store = harness.open();
        await store.put({ id: 'one', content: 'heron' });
        await store.put({ id: 'one', content: 'heron' });
        await store.clear();
        const record = await store.put({ id: 'one', content: 'crane' }, { ifVersion: 0 });
        assert.equal(putCount(record.version), 1);
        assert.deepEqual(await foundIds(store, 'crane'), ['one']);
      },
    },
    {
      title: 'clear does not touch namespaces above, below and beside',
      async run(harness) {
        const places = [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'bb'], ['a', 'b*'], ['b']];
        for (const namespace of places) await harness.open({ namespace }).put({ id: 'one', content: 'heron' });
        assert.equal(await harness.open({ namespace: ['a', 'b'] }).clear(), 1);
        for (const namespace of places) {
          const left = (await harness.open({ namespace }).get('one')) !== undefined;
          assert.equal(left, namespace.join() !== 'a,b', `At ${JSON.stringify(namespace)}`);
        }
      },
    },
    {
      title: 'clear with descendants removes records here and below, and nothing else',
      async run(harness) {
        const inside = [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', '*'], ['a', '..']];
        const outside = [[], ['ab'], ['a*'], ['a:b'], ['a/b'], ['a '], ['A'], ['a%'], ['b', 'a'], ['b']];
        for (const namespace of [...inside, ...outside]) {
          await harness.open({ namespace }).put({ id: 'one', content: 'heron' });
        }
        await harness.open({ namespace: ['a'] }).put({ id: 'two', content: 'heron' });
        assert.equal(await harness.open({ namespace: ['a'] }).clear({ descendants: true }), inside.length + 1);
        for (const namespace of inside) {
          const store = harness.open({ namespace });
          assert.equal(await store.get('one'), undefined, `At ${JSON.stringify(namespace)}`);
          assert.deepEqual(await foundIds(store, 'heron'), []);
        }
        for (const namespace of outside) {
          assert.ok(await harness.open({ namespace }).get('one'), `At ${JSON.stringify(namespace)}`);
        }
      },
    },
    {
      title: 'clear with descendants works from an empty namespace, even one that looks like a pattern',
      async run(harness) {
        for (const top of ['*', '%', '?', '_', '.', '..']) {
          await harness.open({ namespace: ['a', 'b'] }).put({ id: 'one', content: 'heron' });
          await harness.open({ namespace: [top, 'b'] }).put({ id: 'one', content: 'heron' });
          assert.equal(await harness.open({ namespace: [top] }).clear({ descendants: true }), 1, `Below ${top}`);
          assert.ok(await harness.open({ namespace: ['a', 'b'] }).get('one'));
        }
      },
    },
    {
      title: 'a cleared tree lists no namespaces',
      when: ({ enumerate }) => enumerate,
      async run(harness) {
        for (const namespace of [['a'], ['a', 'b'], ['c']]) {
          await harness.open({ namespace }).put({ content: 'heron' });
        }
        await harness.open().clear({ descendants: true });
        assert.deepEqual(await countsBelow(harness.open()), new Map());
      },
    },
  ],
};
