import assert from 'node:assert/strict';
import type { Filter, FilterValue, JsonObject, RecordStore, StoreCapabilities } from '@keepsake/core';
import { foundIds, listAll, onlyWhere, type RecordStoreCases, range } from './helpers.ts';

/** The sorted ids of the records that pass a filter in a search and, if the store can list, in a list. */
export async function passing(store: RecordStore, capabilities: StoreCapabilities, filter: Filter): Promise<string[]> {
  const searched = (await foundIds(store, 'heron', { filter, maxSearchResults: 100 })).sort();
  if (capabilities.enumerate) {
    const listed = (await listAll(store, { filter, limit: 3 })).map(({ id }) => id).sort();
    assert.deepEqual(listed, searched, 'Search and list must filter equally');
  }
  return searched;
}

/** Puts a record per metadata object, with its key as the id. */
export async function fill(store: RecordStore, records: { readonly [id: string]: JsonObject }): Promise<void> {
  await store.putMany(Object.entries(records).map(([id, metadata]) => ({ id, content: 'heron', metadata })));
}

const fields = {
  text: { v: '1' },
  number: { v: 1 },
  yes: { v: true },
  no: { v: false },
  zero: { v: 0 },
  blank: { v: '' },
  nothing: { v: null },
  list: { v: [1, '1', true] },
  object: { v: { v: 1 } },
  missing: { other: 1 },
} satisfies Record<string, JsonObject>;

/** For each operator, a condition that 4 passes and 2 does not. */
const OPERATORS: { readonly [One in keyof Exclude<Filter[string], FilterValue>]-?: Filter[string] } = {
  in: { in: [3, 4] },
  ne: { ne: 2 },
  gt: { gt: 2 },
  gte: { gte: 3 },
  lt: { lt: 5, gt: 2 },
  lte: { lte: 4, gt: 2 },
  exists: { exists: true, gt: 2 },
};

export const filters: RecordStoreCases = {
  concern: 'Filters',
  cases: onlyWhere(
    ({ filter }) => filter,
    [
      {
        title: 'an empty filter matches all records',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { a: {}, b: { v: 1 } });
          assert.deepEqual(await passing(store, capabilities, {}), ['a', 'b']);
        },
      },
      {
        title: 'each operator selects the records that pass it',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { two: { v: 2 }, four: { v: 4 } });
          for (const [operator, condition] of Object.entries(OPERATORS)) {
            assert.deepEqual(await passing(store, capabilities, { v: condition }), ['four'], operator);
          }
        },
      },
      {
        title: 'a value matches the same value of the same type',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, fields);
          assert.deepEqual(await passing(store, capabilities, { v: '1' }), ['text']);
          assert.deepEqual(await passing(store, capabilities, { v: 1 }), ['number']);
          assert.deepEqual(await passing(store, capabilities, { v: true }), ['yes']);
          assert.deepEqual(await passing(store, capabilities, { v: false }), ['no']);
          assert.deepEqual(await passing(store, capabilities, { v: 0 }), ['zero']);
          assert.deepEqual(await passing(store, capabilities, { v: '' }), ['blank']);
          assert.deepEqual(await passing(store, capabilities, { v: 'true' }), []);
        },
      },
      {
        title: 'null matches null, not a missing field',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, fields);
          assert.deepEqual(await passing(store, capabilities, { v: null }), ['nothing']);
          assert.deepEqual(await passing(store, capabilities, { v: { in: [null] } }), ['nothing']);
        },
      },
      {
        title: 'in matches any of its values, and nothing if empty',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, fields);
          assert.deepEqual(await passing(store, capabilities, { v: { in: ['1', 0, true, 'x'] } }), [
            'text',
            'yes',
            'zero',
          ]);
          assert.deepEqual(await passing(store, capabilities, { v: { in: [] } }), []);
        },
      },
      {
        title: 'ne matches every record that the value does not match, including records without the field',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, fields);
          for (const value of ['1', 1, true, false, 0, '', null, 'x', 7]) {
            const equal = await passing(store, capabilities, { v: value });
            const others = Object.keys(fields).filter((id) => !equal.includes(id));
            assert.deepEqual(await passing(store, capabilities, { v: { ne: value } }), others.sort(), String(value));
          }
          const both = { v: { ne: 1, exists: true, in: [0, 1] } };
          assert.deepEqual(await passing(store, capabilities, both), ['zero']);
          assert.deepEqual(await passing(store, capabilities, { v: { ne: '1' }, other: { ne: 1 } }), [
            ...['blank', 'list', 'no', 'nothing', 'number', 'object', 'yes', 'zero'],
          ]);
        },
      },
      {
        title: 'ne of a time matches the records of other moments, also those that never expire',
        async run(harness, capabilities) {
          const store = harness.open();
          await store.put({ id: 'old', content: 'heron', createdAt: '2023-05-08T13:56:00.000Z' });
          await store.put({ id: 'new', content: 'heron', createdAt: '2024-01-01T00:00:00.000Z' });
          const createdAt = { ne: '2023-05-08T15:56:00+02:00' };
          assert.deepEqual(await passing(store, capabilities, { createdAt }), ['new']);
          assert.deepEqual(await passing(store, capabilities, { expiresAt: { ne: '2023-05-08T00:00:00Z' } }), [
            'new',
            'old',
          ]);
        },
      },
      {
        title: 'exists distinguishes present fields, including null, from missing ones',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, fields);
          const there = Object.keys(fields).filter((id) => id !== 'missing');
          assert.deepEqual(await passing(store, capabilities, { v: { exists: true } }), there.sort());
          assert.deepEqual(await passing(store, capabilities, { v: { exists: false } }), ['missing']);
        },
      },
      {
        title: 'a field that holds a list or an object matches exists and ne alone',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { list: { v: [1, '1', true] }, object: { v: { v: 1 } } });
          for (const v of [1, '1', true, null, { in: [1, '1'] }, { gte: 0 }, { lte: 'z' }]) {
            assert.deepEqual(await passing(store, capabilities, { v }), [], JSON.stringify(v));
          }
          assert.deepEqual(await passing(store, capabilities, { v: { exists: true } }), ['list', 'object']);
          for (const ne of [1, '1', null]) {
            assert.deepEqual(await passing(store, capabilities, { v: { ne } }), ['list', 'object'], JSON.stringify(ne));
          }
        },
      },
      {
        title: 'gt, gte, lt and lte compare numbers as numbers',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { a: { n: -1.5 }, b: { n: 0 }, c: { n: 2 }, d: { n: 10 }, text: { n: '5' }, missing: {} });
          assert.deepEqual(await passing(store, capabilities, { n: { gt: 2 } }), ['d']);
          assert.deepEqual(await passing(store, capabilities, { n: { gte: 2 } }), ['c', 'd']);
          assert.deepEqual(await passing(store, capabilities, { n: { lt: 0 } }), ['a']);
          assert.deepEqual(await passing(store, capabilities, { n: { lte: 0 } }), ['a', 'b']);
          assert.deepEqual(await passing(store, capabilities, { n: { gte: 0, lt: 10 } }), ['b', 'c']);
          assert.deepEqual(await passing(store, capabilities, { n: { gt: 10, lt: 0 } }), []);
        },
      },
      {
        title: 'gt, gte, lt and lte compare texts by code point, and no text with a number',
        async run(harness, capabilities) {
          const store = harness.open();
          const texts = { empty: '', ten: '10', two: '2', upper: 'B', lower: 'a', high: '\uff5e', emoji: '💡' };
          await fill(store, Object.fromEntries(Object.entries(texts).map(([id, t]) => [id, { t }])));
          await fill(store, { number: { t: 5 } });
          assert.deepEqual(await passing(store, capabilities, { t: { lt: '2' } }), ['empty', 'ten']);
          assert.deepEqual(await passing(store, capabilities, { t: { gte: '2', lte: 'B' } }), ['two', 'upper']);
          assert.deepEqual(await passing(store, capabilities, { t: { gte: 'a' } }), ['emoji', 'high', 'lower']);
          assert.deepEqual(await passing(store, capabilities, { t: { gt: '\uff5e' } }), ['emoji']);
          assert.deepEqual(await passing(store, capabilities, { t: { gte: 0 } }), ['number']);
        },
      },
      {
        title: 'all fields and all operators of a filter must match',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { a: { user: 'Ada', n: 1 }, b: { user: 'Ada', n: 2 }, c: { user: 'Bob', n: 1 } });
          assert.deepEqual(await passing(store, capabilities, { user: 'Ada', n: 1 }), ['a']);
          assert.deepEqual(await passing(store, capabilities, { user: { in: ['Ada', 'Bob'] }, n: { gt: 1 } }), ['b']);
          assert.deepEqual(await passing(store, capabilities, { user: { in: ['Ada', 'Bob'], gt: 'Ada' } }), ['c']);
          assert.deepEqual(await passing(store, capabilities, { user: 'Bob', n: 2 }), []);
        },
      },
      {
        title: 'numbers match to the last digit',
        async run(harness, capabilities) {
          const store = harness.open();
          const numbers = [0.1 + 0.2, 0.3, 2 ** 53 - 1, 2 ** 53, 1e-7, 1e300, -1e300];
          await fill(store, Object.fromEntries(numbers.map((n) => [String(n), { n }])));
          for (const n of numbers) assert.deepEqual(await passing(store, capabilities, { n }), [String(n)]);
          assert.deepEqual(await passing(store, capabilities, { n: { gte: 1e300 } }), ['1e+300']);
        },
      },
      {
        title: 'createdAt and updatedAt compare with the times of the record, as moments, and dates as whole days',
        async run(harness, capabilities) {
          const store = harness.open();
          await store.put({ id: 'old', content: 'heron', createdAt: '2023-05-08T13:56:00.000Z' });
          await store.put({ id: 'new', content: 'heron', createdAt: '2024-01-01T00:00:00.000Z' });
          const at = (createdAt: Filter[string]) => passing(store, capabilities, { createdAt });
          assert.deepEqual(await at('2023-05-08T15:56:00+02:00'), ['old']);
          assert.deepEqual(await at({ in: ['2024-01-01T00:00:00Z'] }), ['new']);
          assert.deepEqual(await at({ gte: '2024-01-01' }), ['new']);
          assert.deepEqual(await at({ gt: '2024-01-01' }), []);
          assert.deepEqual(await at({ gt: '2023-05-08' }), ['new']);
          assert.deepEqual(await at({ lt: '2023-05-08' }), []);
          assert.deepEqual(await at({ lte: '2023-05-08' }), ['old']);
          assert.deepEqual(await at('2023-05-08'), ['old']);
          assert.deepEqual(await at('2023-05'), ['old']);
          assert.deepEqual(await at({ gt: '2023-05-08T13:55:59.999Z', lt: '2024-01-01' }), ['old']);
          assert.deepEqual(await at({ lte: '2023-05-08T13:56:00.000Z' }), ['old']);
          assert.deepEqual(await at({ exists: true }), ['new', 'old']);
          const updatedAt = (await store.get('old'))?.updatedAt as string;
          assert.ok((await passing(store, capabilities, { updatedAt })).includes('old'));
          assert.deepEqual(await passing(store, capabilities, { updatedAt: { lt: '2001-01-01' } }), []);
        },
      },
      {
        title: 'a metadata field that is named like a time is not that time',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { a: { createdAt: '2001-01-01', expiresAt: '2001-01-01' }, b: {} });
          assert.deepEqual(await passing(store, capabilities, { createdAt: { lte: '2001-01-01' } }), []);
          assert.deepEqual(await passing(store, capabilities, { expiresAt: { exists: true } }), []);
          assert.deepEqual(await passing(store, capabilities, { createdAt: { gt: '2001-01-01' } }), ['a', 'b']);
        },
      },
      {
        title: 'a filter uses the current metadata, not that before a replacement',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { a: { v: 1 }, b: { v: 1 } });
          await fill(store, { a: { v: 2 } });
          assert.deepEqual(await passing(store, capabilities, { v: 1 }), ['b']);
          assert.deepEqual(await passing(store, capabilities, { v: 2 }), ['a']);
        },
      },
      {
        title: 'search filters before it ranks: the limit is filled with records that pass',
        async run(harness) {
          const store = harness.open();
          await store.putMany([
            { id: 'weak 1', content: 'Long ago somebody told of a heron in a far land', metadata: { user: 'Ada' } },
            { id: 'weak 2', content: 'Long ago somebody told of a heron in a far land', metadata: { user: 'Ada' } },
            ...range(60).map((number) => ({
              id: `strong ${number}`,
              content: 'heron heron heron',
              metadata: { user: 'Bob' },
            })),
          ]);
          const filter = { user: 'Ada' };
          assert.deepEqual(await foundIds(store, 'heron', { filter, maxSearchResults: 2 }), ['weak 2', 'weak 1']);
          assert.deepEqual(await foundIds(store, 'heron', { filter, maxSearchResults: 1 }), ['weak 2']);
        },
      },
    ],
  ),
};
