import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import {
  countsBelow,
  foundIds,
  heldIds,
  listAll,
  onlyWhere,
  type RecordStoreCases,
  refuses,
  SECRET,
} from './helpers.ts';

const HOUR_MS = 3_600_000;
const SHORT_MS = 20;
/** Longer than the short time to live, even by the clock of the backend. */
const OVER_MS = 60;

const badTtls: readonly unknown[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10', null, 1_001 * 366 * 864e5];

/** Puts a record that stays, and one that has expired when this resolves. */
async function withExpired(store: RecordStore): Promise<void> {
  await store.put({ id: 'lasts', content: 'heron', ttlMs: HOUR_MS });
  await store.put({ id: 'expired', content: 'heron', ttlMs: SHORT_MS });
  await wait(OVER_MS);
}

export const ttl: RecordStoreCases = {
  concern: 'Time to live',
  cases: onlyWhere(
    (capabilities) => capabilities.ttl,
    [
      {
        title: 'a record with a time to live has an expiresAt',
        async run(harness) {
          const store = harness.open();
          const record = await store.put({ id: 'one', content: 'heron', ttlMs: HOUR_MS });
          const end = Date.parse(record.expiresAt ?? '');
          assert.ok(Math.abs(end - Date.parse(record.updatedAt) - HOUR_MS) < 1_000, `It ends at ${record.expiresAt}`);
          assert.match(record.expiresAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          assert.deepEqual(await store.get('one'), record);
        },
      },
      {
        title: 'get does not return an expired record, in any instance',
        async run(harness) {
          const store = harness.open();
          await withExpired(store);
          for (const instance of [store, harness.open()]) {
            assert.equal(await instance.get('expired'), undefined);
            assert.ok(await instance.get('lasts'));
          }
        },
      },
      {
        title: 'list does not return expired records, and its pages have no gaps',
        when: ({ enumerate }) => enumerate,
        async run(harness) {
          const store = harness.open();
          await withExpired(store);
          await store.put({ id: 'last', content: 'heron' });
          for (const limit of [1, 2, 3]) {
            assert.deepEqual(
              (await listAll(store, { limit })).map(({ id }) => id),
              ['last', 'lasts'],
            );
          }
        },
      },
      {
        title: 'search never finds an expired record, which takes no place among the results',
        async run(harness) {
          const store = harness.open();
          await withExpired(store);
          assert.deepEqual(await foundIds(store, 'heron'), ['lasts']);
          assert.deepEqual(await foundIds(store, 'heron', { maxSearchResults: 1 }), ['lasts']);
          assert.deepEqual(await foundIds(harness.open(), 'heron'), ['lasts']);
        },
      },
      {
        title: 'expired records do not count in namespaces',
        when: ({ enumerate }) => enumerate,
        async run(harness) {
          const root = harness.open();
          await root.within(['gone']).put({ content: 'heron', ttlMs: SHORT_MS });
          await withExpired(root.within(['half']));
          assert.deepEqual(await countsBelow(root), new Map([['["half"]', 1]]));
        },
      },
      {
        title:
          'namespaces that may have data in storage are listed on request, with a count of 0, until they are cleared',
        when: ({ enumerate }) => enumerate,
        async run(harness) {
          const root = harness.open();
          await root.within(['gone']).put({ content: 'heron', ttlMs: SHORT_MS });
          await withExpired(root.within(['half']));
          const some = (await root.namespaces({ empty: true, segment: 'gone' })).items;
          const { items } = await root.namespaces({ empty: true });
          // What is still there now was there before.
          const isListed = items.some(({ namespace }) => namespace.at(-1) === 'gone');
          assert.ok(!isListed || some.length === 1, 'A list by a segment has the same namespaces');
          const counts = new Map(items.map(({ namespace, recordCount }) => [namespace.at(-1), recordCount]));
          assert.equal(counts.get('half'), 1);
          // A store that removes expired records automatically has nothing to list.
          assert.equal(counts.get('gone') ?? 0, 0);
          await root.within(['gone']).clear();
          const left = (await root.namespaces({ empty: true })).items.map(({ namespace }) => namespace.at(-1));
          assert.deepEqual(left, ['half']);
        },
      },
      {
        title: 'expired records do not count in clear',
        async run(harness) {
          const store = harness.open();
          await withExpired(store);
          assert.equal(await store.clear(), 1);
        },
      },
      {
        title: 'a put on an expired id creates a new record, with a new version and a new createdAt',
        async run(harness) {
          const store = harness.open();
          const createdAt = '2023-05-08T13:56:00.000Z';
          const input = { id: 'one', content: 'heron' };
          const { version: ifVersion } = await store.put({ ...input, metadata: { a: 1 }, createdAt });
          await store.put({ ...input, ttlMs: SHORT_MS });
          await wait(OVER_MS);
          const again = await store.put(input, { ifVersion: 0 });
          assert.equal(putCount(again.version), 1);
          await refuses('CONFLICT', () => store.put({ id: 'one', content: `heron ${SECRET}` }, { ifVersion }));
          assert.notEqual(again.createdAt, createdAt);
          assert.equal(again.expiresAt, undefined);
          assert.deepEqual(await store.get('one'), again);
        },
      },
      {
        title: 'ifVersion of an expired record is a conflict, and its delete returns false',
        async run(harness) {
          const store = harness.open();
          await withExpired(store);
          await refuses('CONFLICT', () => store.put({ id: 'expired', content: `heron ${SECRET}` }, { ifVersion: 1 }));
          assert.equal(await store.delete('expired', { ifVersion: 1 }), false);
          assert.equal(await store.delete('expired'), false);
        },
      },
      {
        title: 'a replacement without a time to live does not expire',
        async run(harness, capabilities) {
          const store = harness.open();
          await store.put({ id: 'one', content: 'heron', ttlMs: OVER_MS });
          const record = await store.put({ id: 'one', content: 'heron' });
          assert.equal('expiresAt' in record, false);
          await wait(OVER_MS + SHORT_MS);
          assert.deepEqual(await store.get('one'), record);
          assert.deepEqual(await heldIds(store, capabilities), ['one']);
        },
      },
      {
        title: 'the time to live of a replacement starts with the replacement',
        async run(harness) {
          const store = harness.open();
          await store.put({ id: 'one', content: 'heron', ttlMs: HOUR_MS });
          await store.put({ id: 'one', content: 'heron', ttlMs: SHORT_MS });
          await store.put({ id: 'two', content: 'heron', ttlMs: SHORT_MS * 5 });
          await store.put({ id: 'two', content: 'heron', ttlMs: HOUR_MS });
          await wait(OVER_MS);
          assert.equal(await store.get('one'), undefined);
          await wait(OVER_MS);
          assert.ok(await store.get('two'));
        },
      },
      {
        title: 'each record of a batch has its own time to live',
        async run(harness, capabilities) {
          const store = harness.open();
          await store.putMany([
            { id: 'short', content: 'heron', ttlMs: SHORT_MS },
            { id: 'long', content: 'heron', ttlMs: HOUR_MS },
            { id: 'ever', content: 'heron' },
          ]);
          await wait(OVER_MS);
          assert.deepEqual(await heldIds(store, capabilities), ['ever', 'long']);
          assert.equal(await store.get('short'), undefined);
        },
      },
      {
        title: 'expiresAt can be filtered by',
        when: ({ filter }) => filter,
        async run(harness) {
          const store = harness.open();
          await store.put({ id: 'ever', content: 'heron' });
          const { expiresAt } = await store.put({ id: 'hour', content: 'heron', ttlMs: HOUR_MS });
          const at = (condition: object | string) =>
            foundIds(store, 'heron', { filter: { expiresAt: condition as string } });
          assert.deepEqual(await at({ exists: true }), ['hour']);
          assert.deepEqual(await at({ exists: false }), ['ever']);
          assert.deepEqual(await at(expiresAt as string), ['hour']);
          assert.deepEqual(await at({ gt: '2001-01-01' }), ['hour']);
          assert.deepEqual(await at({ lt: '2001-01-01' }), []);
        },
      },
      {
        title: 'a time to live that is not a whole number of milliseconds from 1 to 1,000 years is refused',
        async run(harness, capabilities) {
          const store = harness.open();
          for (const ttlMs of badTtls as readonly number[]) {
            await refuses('INVALID_ARGUMENT', () => store.put({ content: `heron ${SECRET}`, ttlMs }));
          }
          assert.deepEqual(await heldIds(store, capabilities), []);
        },
      },
    ],
  ),
};
