import assert from 'node:assert/strict';
import type { RecordStore, StoreIdentity } from '@keepsake/core';
import { foundIds, heldIds, type RecordStoreCases, refuses, SECRET, throwsAtOnce } from './helpers.ts';

const givenIdentity = {
  name: 'birds',
  description: 'What we know of birds',
  maxSearchResults: 3,
  writable: true,
} as const;

function identityOf({ name, description, maxSearchResults, writable, extraction }: RecordStore): object {
  return { name, description, maxSearchResults, writable, extraction };
}

async function assertRefusesWrites(store: RecordStore, { ttl }: { readonly ttl: boolean }): Promise<void> {
  assert.equal(store.writable, false);
  const content = `heron ${SECRET}`;
  const turn = { runId: 'run', sequenceNumbers: [0] };
  await refuses('READ_ONLY', () => store.put({ content }));
  await refuses('READ_ONLY', () => store.put({ id: 'one', content }, { ifVersion: 1 }));
  if (ttl) await refuses('READ_ONLY', () => store.put({ id: 'one', content, ttlMs: 1_000 }));
  await refuses('READ_ONLY', () => store.putMany([{ content }, { content }]));
  await refuses('READ_ONLY', () => store.add(content));
  await refuses('READ_ONLY', () => store.addMessages([{ role: 'user', content }]));
  await refuses('READ_ONLY', () => store.addMessages([{ role: 'user', content }], turn));
  await refuses('READ_ONLY', () => store.delete('one'));
  await refuses('READ_ONLY', () => store.delete('missing'));
  await refuses('READ_ONLY', () => store.clear());
  await refuses('READ_ONLY', () => store.clear({ descendants: true }));
  if (store.compact !== undefined) await refuses('READ_ONLY', async () => store.compact?.());
}

export const identity: RecordStoreCases = {
  concern: 'Identity',
  cases: [
    {
      title: 'a store has a name and is writable by default',
      async run(harness) {
        const store = harness.open();
        assert.equal(typeof store.name, 'string');
        assert.notEqual(store.name.trim(), '');
        assert.equal(store.writable, true);
      },
    },
    {
      title: 'a store has the identity it was opened with',
      async run(harness) {
        assert.deepEqual(identityOf(harness.open(givenIdentity)), { ...givenIdentity, extraction: undefined });
        assert.equal(harness.open({ writable: false }).writable, false);
      },
    },
    {
      title: 'within keeps the identity',
      async run(harness) {
        const store = harness.open(givenIdentity);
        assert.deepEqual(identityOf(store.within(['a'])), identityOf(store));
        assert.deepEqual(identityOf(store.within([]).within(['a', 'b'])), identityOf(store));
      },
    },
    {
      title: 'within keeps the directory of the files, if there is one',
      async run(harness) {
        const store = harness.open();
        assert.equal(store.within(['a']).directory, store.directory);
        assert.equal(store.within([]).within(['a', 'b'], { writable: false }).directory, store.directory);
      },
    },
    {
      title: 'within changes the given identity fields, only below',
      async run(harness) {
        const store = harness.open(givenIdentity);
        const extraction = { deadlineMs: 30_000 };
        const below = store.within(['a'], { name: 'herons', maxSearchResults: 7, extraction });
        assert.deepEqual(identityOf(below), { ...givenIdentity, name: 'herons', maxSearchResults: 7, extraction });
        assert.deepEqual(identityOf(below.within(['b'], { extraction: true })), {
          ...givenIdentity,
          name: 'herons',
          maxSearchResults: 7,
          extraction: true,
        });
        assert.deepEqual(identityOf(store), { ...givenIdentity, extraction: undefined });
      },
    },
    {
      title: 'the maxSearchResults passed to within applies to its searches',
      async run(harness) {
        const store = harness.open({ maxSearchResults: 3 });
        for (const id of ['a', 'b', 'c', 'd']) await store.put({ id, content: 'heron' });
        assert.equal((await foundIds(store.within([], { maxSearchResults: 2 }), 'heron')).length, 2);
        assert.equal((await foundIds(store.within([]), 'heron')).length, 3);
      },
    },
    {
      title: 'an invalid identity is refused at once',
      async run(harness) {
        const store = harness.open();
        const bad = [{ name: '' }, { name: ' ' }, { name: 7 }, { maxSearchResults: 0 }, { maxSearchResults: 1.5 }];
        for (const one of bad as Partial<StoreIdentity>[]) {
          throwsAtOnce('INVALID_ARGUMENT', () => store.within(['a'], one));
          throwsAtOnce('INVALID_ARGUMENT', () => harness.open(one));
        }
      },
    },
    {
      title: 'a read-only store refuses every write, and nothing changes',
      async run(harness, capabilities) {
        const record = await harness.open().put({ id: 'one', content: 'heron' });
        await harness.open({ namespace: ['a'] }).put({ id: 'below', content: 'heron' });
        const reader = harness.open({ writable: false });
        await assertRefusesWrites(reader, capabilities);
        assert.deepEqual(await reader.get('one'), record);
        assert.deepEqual(await heldIds(harness.open(), capabilities), ['one']);
        assert.ok(await harness.open({ namespace: ['a'] }).get('below'));
      },
    },
    {
      title: 'a read-only store can be read',
      async run(harness, capabilities) {
        const record = await harness.open().put({ id: 'one', content: 'heron' });
        const reader = harness.open({ writable: false });
        assert.deepEqual(await reader.get('one'), record);
        assert.deepEqual(await foundIds(reader, 'heron'), ['one']);
        if (capabilities.enumerate) assert.deepEqual((await reader.list()).items, [record]);
      },
    },
    {
      title: 'stores below a read-only store are always read-only',
      async run(harness, capabilities) {
        const reader = harness.open({ writable: false });
        for (const store of [reader.within(['a']), reader.within(['a'], { writable: true })]) {
          await assertRefusesWrites(store, capabilities);
          await assertRefusesWrites(store.within(['b'], { writable: true }), capabilities);
        }
        await assertRefusesWrites(reader.within([], { writable: true }), capabilities);
        assert.deepEqual(await heldIds(harness.open({ namespace: ['a'] }), capabilities), []);
      },
    },
    {
      title: 'within can open a read-only store, and the original stays writable',
      async run(harness, capabilities) {
        const store = harness.open();
        await assertRefusesWrites(store.within(['a'], { writable: false }), capabilities);
        await store.put({ id: 'one', content: 'heron' });
        assert.ok(await store.get('one'));
      },
    },
  ],
};
