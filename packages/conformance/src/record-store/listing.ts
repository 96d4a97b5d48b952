import assert from 'node:assert/strict';
import { badPrefixes, NO_STARTS, PREFIXED, startOf } from '../prefixed-ids.ts';
import { listAll, onlyWhere, type RecordStoreCases, range, refuses } from './helpers.ts';

const badLimits: readonly unknown[] = [0, -1, 1.5, 1_001, Number.NaN, Number.POSITIVE_INFINITY, '5'];

export const listing: RecordStoreCases = {
  concern: 'Listing',
  cases: onlyWhere(
    ({ enumerate }) => enumerate,
    [
      {
        title: 'list of an empty store returns an empty page without a cursor',
        async run(harness) {
          const page = await harness.open().list();
          assert.deepEqual(page.items, []);
          assert.equal(page.cursor, undefined);
        },
      },
      {
        title: 'list returns records as get does',
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
        title: 'list returns the newest or the oldest first',
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
        title: 'a record that is created again after its deletion is the newest',
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
        title: 'list returns records that are excluded from search, too',
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
        title: 'list returns at most its limit of records',
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
        title: 'a page has 100 records by default',
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
        title: 'list with an idPrefix returns the records whose ids begin with it, literally',
        async run(harness) {
          const store = harness.open();
          await store.putMany(PREFIXED.map((id) => ({ id, content: 'heron' })));
          const starts = PREFIXED.flatMap((id) => range(Array.from(id).length).map((end) => startOf(id, end + 1)));
          for (const idPrefix of new Set([...starts, ...NO_STARTS])) {
            const expected = PREFIXED.filter((id) => id.startsWith(idPrefix));
            const listed = await listAll(store, { idPrefix, order: 'oldest' });
            assert.deepEqual(
              listed.map(({ id }) => id),
              expected,
              `The ids that begin with ${JSON.stringify(idPrefix)}`,
            );
          }
        },
      },
      {
        title: 'pages of a list with an idPrefix are full, and continue after the previous one, in both orders',
        async run(harness) {
          const store = harness.open();
          const inputs = range(40).map((n) => ({ id: `${n % 3 === 0 ? 'a' : 'b'} ${n}`, content: 'heron' }));
          await store.putMany(inputs);
          const ids = inputs.map(({ id }) => id).filter((id) => id.startsWith('a '));
          for (const order of ['oldest', 'newest'] as const) {
            const options = { idPrefix: 'a ', order, limit: 5 };
            assert.equal((await store.list(options)).items.length, 5);
            assert.deepEqual(
              (await listAll(store, options)).map(({ id }) => id),
              order === 'oldest' ? ids : ids.toReversed(),
            );
            assert.equal((await store.list({ ...options, limit: ids.length })).cursor, undefined);
          }
        },
      },
      {
        title: 'a list with an idPrefix and a filter returns records that match both',
        when: ({ filter }) => filter,
        async run(harness) {
          const store = harness.open();
          await store.putMany(range(12).map((n) => ({ id: `${n % 2} ${n}`, content: 'heron', metadata: { n } })));
          const options = { idPrefix: '1', filter: { n: { gt: 4 } }, order: 'oldest', limit: 2 } as const;
          assert.deepEqual(
            (await listAll(store, options)).map(({ id }) => id),
            ['1 5', '1 7', '1 9', '1 11'],
          );
        },
      },
      {
        title: 'an invalid idPrefix is refused',
        async run(harness) {
          const store = harness.open();
          await store.put({ content: 'heron' });
          for (const idPrefix of badPrefixes as readonly string[]) {
            await refuses('INVALID_ARGUMENT', () => store.list({ idPrefix }));
          }
        },
      },
      {
        title: 'a limit that is not a whole number from 1 to 1,000 is refused',
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
