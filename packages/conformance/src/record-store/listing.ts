import assert from 'node:assert/strict';
import { listAll, onlyWhere, type RecordStoreCases, range, refuses } from './helpers.ts';

const badLimits: readonly unknown[] = [0, -1, 1.5, 1_001, Number.NaN, Number.POSITIVE_INFINITY, '5'];

export const listing: RecordStoreCases = {
  concern: 'Listing',
  cases: onlyWhere(
    ({ enumerate }) => enumerate,
    [
      {
        title: 'list of an empty store is an empty page without cursor',
        async run(harness) {
          const page = await harness.open().list();
          assert.deepEqual(page.items, []);
          assert.equal(page.cursor, undefined);
        },
      },
      {
        title: 'list gives the records as get does',
        async run(harness) {
          const store = harness.open();
          await store.put({ id: 'one', content: 'heron', metadata: { a: [1] }, turn: { thread: 'talk', index: 0 } });
          await store.put({ id: 'two', content: 'crane' });
          await store.put({ id: 'one', content: 'stork', metadata: { b: 2 } });
          const records = await listAll(store);
          assert.equal(records.length, 2);
          for (const record of records) assert.deepEqual(record, await store.get(record.id));
        },
      },
      {
        title: 'list gives the newest first, or the oldest',
        async run(harness) {
          const store = harness.open();
          for (const id of ['b', 'c', 'a']) await store.put({ id, content: 'heron' });
          assert.deepEqual(
            (await store.list()).items.map(({ id }) => id),
            ['a', 'c', 'b'],
          );
          assert.deepEqual(
            (await store.list({ order: 'newest' })).items.map(({ id }) => id),
            ['a', 'c', 'b'],
          );
          assert.deepEqual(
            (await store.list({ order: 'oldest' })).items.map(({ id }) => id),
            ['b', 'c', 'a'],
          );
        },
      },
      {
        title: 'list keeps the order of creation among records of the same millisecond',
        async run(harness) {
          const store = harness.open();
          const ids = range(40).map((number) => `record ${(number * 7) % 40}`);
          for (const id of ids) await store.put({ id, content: 'heron' });
          assert.deepEqual(
            (await listAll(store, { order: 'oldest' })).map(({ id }) => id),
            ids,
          );
        },
      },
      {
        title: 'list keeps the order of creation in the store, whatever createdAt says',
        async run(harness) {
          const store = harness.open();
          await store.put({ id: 'first', content: 'heron', createdAt: '2025-01-01T00:00:00Z' });
          await store.put({ id: 'second', content: 'heron', createdAt: '2023-01-01T00:00:00Z' });
          await store.put({ id: 'third', content: 'heron', createdAt: '2024-01-01T00:00:00Z' });
          assert.deepEqual(
            (await store.list({ order: 'oldest' })).items.map(({ id }) => id),
            ['first', 'second', 'third'],
          );
        },
      },
      {
        title: 'a replaced record keeps its place in the list',
        async run(harness) {
          const store = harness.open();
          for (const id of ['one', 'two', 'three']) await store.put({ id, content: 'heron' });
          await store.put({ id: 'one', content: 'crane' });
          assert.deepEqual(
            (await store.list({ order: 'oldest' })).items.map(({ id }) => id),
            ['one', 'two', 'three'],
          );
        },
      },
      {
        title: 'a record that is made again after its deletion is the newest',
        async run(harness) {
          const store = harness.open();
          for (const id of ['one', 'two']) await store.put({ id, content: 'heron' });
          await store.delete('one');
          await store.put({ id: 'one', content: 'heron' });
          assert.deepEqual(
            (await store.list()).items.map(({ id }) => id),
            ['one', 'two'],
          );
        },
      },
      {
        title: 'list also gives records that are kept out of search',
        async run(harness) {
          const store = harness.open();
          await store.put({ id: 'hidden', content: 'heron', index: false });
          assert.deepEqual(
            (await store.list()).items.map(({ id }) => id),
            ['hidden'],
          );
        },
      },
      {
        title: 'list gives at most as many records as its limit says',
        async run(harness) {
          const store = harness.open();
          await store.putMany(range(5).map((number) => ({ id: `record ${number}`, content: 'heron' })));
          assert.deepEqual(
            (await store.list({ limit: 2 })).items.map(({ id }) => id),
            ['record 4', 'record 3'],
          );
          assert.equal((await store.list({ limit: 1_000 })).items.length, 5);
        },
      },
      {
        title: 'a page holds 100 records where the caller does not say',
        async run(harness) {
          const store = harness.open();
          await store.putMany(range(101).map((number) => ({ id: `record ${number}`, content: 'heron' })));
          const first = await store.list();
          assert.equal(first.items.length, 100);
          assert.equal(typeof first.cursor, 'string');
          assert.equal((await listAll(store)).length, 101);
        },
      },
      {
        title: 'a limit that is no whole number from 1 to 1,000 is refused',
        async run(harness) {
          const store = harness.open();
          await store.put({ content: 'heron' });
          for (const limit of badLimits as readonly number[]) {
            await refuses('INVALID_ARGUMENT', () => store.list({ limit }));
            await refuses('INVALID_ARGUMENT', () => store.namespaces({ limit }));
          }
        },
      },
    ],
  ),
};
