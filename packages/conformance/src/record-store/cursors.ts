import assert from 'node:assert/strict';
import type { ListOptions, RecordStore } from '@keepsake/core';
import { isMemoryError } from '@keepsake/core';
import { checkCursorsHideWrites, OTHER_WRITES } from '../cursor-numbers.ts';
import { listAll, onlyWhere, type RecordStoreCases, range, refuses } from './helpers.ts';

const ORDERS = ['newest', 'oldest'] as const;

const badCursors: readonly unknown[] = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  'heron',
  '*',
  '%',
  '../../etc/passwd',
  "' OR '1'='1",
  '0; DROP TABLE records; --',
  '{"$gt": ""}',
  'bnVsbA',
  'e30=',
  '[]',
  'a\0b',
  '\ud800',
  '💡',
  'x'.repeat(10_000),
  7,
  null,
  {},
];

/** Puts records `record 10` and up, in that order. */
async function fill(store: RecordStore, count: number): Promise<string[]> {
  const ids = range(count).map((number) => `record ${number + 10}`);
  await store.putMany(ids.map((id) => ({ id, content: 'heron' })));
  return ids;
}

async function firstCursor(store: RecordStore, options: ListOptions): Promise<string> {
  return (await store.list(options)).cursor ?? assert.fail('A page that is not the last has a cursor');
}

export const cursors: RecordStoreCases = {
  concern: 'Cursors',
  cases: onlyWhere(
    ({ enumerate }) => enumerate,
    [
      {
        title: 'each page continues after the previous one, in both orders and for every limit',
        async run(harness) {
          const store = harness.open();
          const ids = await fill(store, 7);
          for (const limit of [1, 2, 3, 6, 7, 8]) {
            assert.deepEqual(
              (await listAll(store, { limit, order: 'oldest' })).map(({ id }) => id),
              ids,
            );
            assert.deepEqual(
              (await listAll(store, { limit })).map(({ id }) => id),
              ids.toReversed(),
            );
          }
        },
      },
      {
        title: 'the page with the last record has no cursor',
        async run(harness) {
          const store = harness.open();
          await fill(store, 4);
          for (const order of ORDERS) {
            assert.equal((await store.list({ order, limit: 4 })).cursor, undefined);
            const cursor = await firstCursor(store, { order, limit: 2 });
            assert.equal((await store.list({ order, limit: 2, cursor })).cursor, undefined);
          }
        },
      },
      {
        title: 'a cursor works in another instance, with another limit, and more than once',
        async run(harness) {
          const store = harness.open();
          const ids = await fill(store, 5);
          const cursor = await firstCursor(store, { order: 'oldest', limit: 2 });
          for (const instance of [store, harness.open(), store]) {
            const rest = await instance.list({ order: 'oldest', limit: 10, cursor });
            assert.deepEqual(
              rest.items.map(({ id }) => id),
              ids.slice(2),
            );
          }
        },
      },
      {
        title: 'records created during paging neither repeat nor hide existing ones',
        async run(harness) {
          for (const order of ORDERS) {
            const store = harness.open({ namespace: [order] });
            const ids = await fill(store, 6);
            const first = await store.list({ order, limit: 2 });
            await store.put({ id: 'late', content: 'heron' });
            const rest = await listAll(store, { order, limit: 2, cursor: first.cursor as string });
            const seen = [...first.items, ...rest].map(({ id }) => id).filter((id) => id !== 'late');
            assert.deepEqual(seen, order === 'oldest' ? ids : ids.toReversed());
          }
        },
      },
      {
        title: 'records deleted during paging hide no others',
        async run(harness) {
          for (const order of ORDERS) {
            const store = harness.open({ namespace: [order] });
            const ids = await fill(store, 8);
            const inOrder = order === 'oldest' ? ids : ids.toReversed();
            const first = await store.list({ order, limit: 3 });
            // A listed record, the one at the cursor, and the next one.
            for (const gone of [0, 2, 3]) await store.delete(inOrder[gone] as string);
            const rest = await listAll(store, { order, limit: 3, cursor: first.cursor as string });
            assert.deepEqual(
              rest.map(({ id }) => id),
              inOrder.slice(4),
            );
          }
        },
      },
      {
        title: 'records replaced during paging appear once',
        async run(harness) {
          for (const order of ORDERS) {
            const store = harness.open({ namespace: [order] });
            const ids = await fill(store, 6);
            const first = await store.list({ order, limit: 2 });
            for (const id of ids) await store.put({ id, content: 'crane' });
            const rest = await listAll(store, { order, limit: 2, cursor: first.cursor as string });
            const seen = [...first.items, ...rest].map(({ id }) => id);
            assert.deepEqual(seen, order === 'oldest' ? ids : ids.toReversed());
          }
        },
      },
      {
        title: 'an invalid cursor is refused',
        async run(harness) {
          const store = harness.open();
          await fill(store, 3);
          for (const cursor of badCursors as readonly string[]) {
            await refuses('INVALID_ARGUMENT', () => store.list({ cursor }));
            await refuses('INVALID_ARGUMENT', () => store.namespaces({ cursor }));
          }
        },
      },
      {
        title: 'a cursor of another kind of list, or of the other order, is refused',
        async run(harness) {
          const store = harness.open();
          await fill(store, 3);
          for (const namespace of [['a'], ['b'], ['c']]) await fill(store.within(namespace), 1);
          const newest = await firstCursor(store, { order: 'newest', limit: 1 });
          const oldest = await firstCursor(store, { order: 'oldest', limit: 1 });
          const { cursor } = await store.namespaces({ limit: 1 });
          await refuses('INVALID_ARGUMENT', () => store.list({ order: 'oldest', cursor: newest }));
          await refuses('INVALID_ARGUMENT', () => store.list({ order: 'newest', cursor: oldest }));
          await refuses('INVALID_ARGUMENT', () => store.list({ cursor: cursor as string }));
          await refuses('INVALID_ARGUMENT', () => store.namespaces({ cursor: newest }));
        },
      },
      {
        title: 'a cursor of another namespace never opens that namespace',
        async run(harness) {
          const [here, there] = [harness.open({ namespace: ['here'] }), harness.open({ namespace: ['there'] })];
          await here.put({ id: 'mine', content: 'heron' });
          await fill(there, 4);
          const cursor = await firstCursor(there, { order: 'oldest', limit: 1 });
          const page = await here.list({ order: 'oldest', cursor }).catch((error: unknown) => {
            assert.ok(isMemoryError(error, 'INVALID_ARGUMENT'), String(error));
            return { items: [] };
          });
          assert.deepEqual(
            page.items.filter(({ id }) => id !== 'mine'),
            [],
          );
        },
      },
      {
        title: 'a cursor does not reveal how much other namespaces write',
        async run(harness) {
          const [own, other] = [harness.open({ namespace: ['own'] }), harness.open({ namespace: ['other'] })];
          await own.put({ id: 'first', content: 'heron' });
          for (const [n, writes] of OTHER_WRITES.entries()) {
            await own.put({ id: `record ${n}`, content: 'heron' });
            for (const _ of range(writes)) await other.put({ content: 'heron' });
          }
          for (const id of ['next', 'last']) await own.put({ id, content: 'heron' });
          for (const order of ORDERS) {
            const cursors: string[] = [];
            for (const before of range(OTHER_WRITES.length + 1)) {
              const limit = order === 'oldest' ? before + 2 : OTHER_WRITES.length + 2 - before;
              cursors.push(await firstCursor(own, { order, limit }));
            }
            checkCursorsHideWrites(cursors);
          }
        },
      },
    ],
  ),
};
