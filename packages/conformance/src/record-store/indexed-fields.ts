import assert from 'node:assert/strict';
import type { Filter, JsonObject, RecordStore, StoreCapabilities } from '@keepsake/core';
import { type CaseGroup, describeCases, type Subject } from '../kit.ts';
import { type OpenOptions, type RecordStoreHarness, settling } from './harness.ts';
import { foundIds, listAll, range, refuses, throwsAtOnce } from './helpers.ts';

/** A harness of a backend whose stores have the option `indexed`. */
export interface IndexedFieldsHarness extends RecordStoreHarness {
  open(options?: OpenOptions & { readonly indexed?: readonly string[] }): RecordStore;
}

const INDEXED = ['kind', 'tag', 'source.kind', 'source.run'];

/** By name: filters that an index can serve, wholly, in part or not at all. */
const FILTERS: readonly Filter[] = [
  { kind: 'note' },
  { kind: 'rare' },
  { kind: 'missing' },
  { kind: { in: ['rare', 'task'] } },
  { kind: { in: [] } },
  { kind: { ne: 'note' } },
  { kind: { exists: false } },
  { kind: { gte: 'o' } },
  { kind: 'note', tag: 3 },
  { kind: 'note', tag: { in: [3, 4] }, other: true },
  { tag: 3 },
  { tag: '3' },
  { tag: null },
  { tag: { gt: 3 } },
  { tag: true, kind: { ne: 'task' } },
  { other: true },
  { 'source.kind': 'fact' },
  { 'source.run': 'r1', kind: 'task' },
];
const KINDS = ['note', 'note', 'task'];
const TAGS = [1, 3, '3', null, true, [3], 4, { tag: 3 }];

function fill(store: RecordStore, from: number, count: number) {
  return store.putMany(
    range(count).map((index) => {
      const n = from + index;
      const metadata: JsonObject = {
        ...(n % 7 === 6 ? {} : { kind: n % 50 === 0 ? 'rare' : (KINDS[n % 3] as string) }),
        tag: TAGS[n % TAGS.length] as number,
        other: n % 2 === 0,
      };
      const source = { run: `r${n % 4}`, kind: n % 5 === 0 ? ('fact' as const) : ('summary' as const) };
      return { id: `${n}`, content: `heron ${n % 9}`, metadata, ...(n % 3 === 0 ? { source } : {}) };
    }),
  );
}

/** Expects that two stores of the same records find and list the same with every filter. */
async function compare(one: RecordStore, other: RecordStore, { enumerate }: StoreCapabilities): Promise<void> {
  for (const filter of FILTERS) {
    const what = JSON.stringify(filter);
    const search = { filter, maxSearchResults: 1_000 };
    assert.deepEqual(
      (await foundIds(one, 'heron 3', search)).sort(),
      (await foundIds(other, 'heron 3', search)).sort(),
      what,
    );
    if (!enumerate) continue;
    for (const order of ['newest', 'oldest'] as const) {
      const ids = async (store: RecordStore) =>
        (await listAll(store, { filter, order, limit: 50 })).map(({ id }) => id);
      assert.deepEqual(await ids(one), await ids(other), `${what} ${order}`);
    }
  }
}

/** What the option promises. */
export const indexedFieldsCases: readonly CaseGroup<IndexedFieldsHarness, StoreCapabilities>[] = [
  {
    concern: 'Indexed fields',
    cases: [
      {
        title: 'a store with indexed fields finds and lists the same as one without',
        async run(harness, capabilities) {
          const [indexed, plain] = [
            harness.open({ indexed: INDEXED, namespace: ['a'] }),
            harness.open({ namespace: ['b'] }),
          ];
          for (const store of [indexed, plain]) await fill(store, 0, 120);
          await compare(indexed, plain, capabilities);
        },
      },
      {
        title: 'records count that were written before the declaration',
        async run(harness, capabilities) {
          const plain = harness.open();
          await fill(plain, 0, 120);
          await compare(harness.open({ indexed: INDEXED }), plain, capabilities);
          await compare(harness.open({ indexed: ['tag'] }), plain, capabilities);
        },
      },
      {
        title: 'records count that another store wrote without the declaration',
        async run(harness, capabilities) {
          const indexed = harness.open({ indexed: INDEXED });
          await fill(indexed, 0, 60);
          await compare(indexed, harness.open(), capabilities);
          await fill(harness.open(), 60, 60);
          await compare(indexed, harness.open(), capabilities);
        },
      },
      {
        title: 'changed and deleted records are found by their current values only',
        async run(harness, capabilities) {
          const [indexed, plain] = [harness.open({ indexed: INDEXED }), harness.open()];
          await fill(plain, 0, 60);
          await compare(indexed, plain, capabilities);
          await plain.put({ id: '1', content: 'heron 3', metadata: { kind: 'rare', tag: 3 } });
          await indexed.put({ id: '2', content: 'heron 3', metadata: { kind: 'moved' } });
          await plain.delete('50');
          assert.deepEqual((await foundIds(indexed, 'heron', { filter: { kind: 'rare' } })).sort(), ['0', '1']);
          assert.deepEqual(await foundIds(indexed, 'heron', { filter: { kind: 'moved' } }), ['2']);
          await compare(indexed, plain, capabilities);
          await plain.clear();
          await fill(plain, 100, 30);
          await compare(indexed, plain, capabilities);
        },
      },
      {
        title: 'a declaration covers the namespaces below, and two tenants stay apart',
        async run(harness, capabilities) {
          const indexed = harness.open({ indexed: INDEXED });
          const plain = harness.open();
          for (const [n, user] of ['a*', 'a:b', 'a'].entries()) await fill(plain.within([user]), n * 20, 20 + n);
          for (const user of ['a*', 'a:b', 'a']) {
            await compare(indexed.within([user]), plain.within([user]), capabilities);
          }
          const filter: Filter = { kind: 'note', tag: 3 };
          const options = { filter, descendants: true, maxSearchResults: 1_000 };
          assert.deepEqual(
            (await foundIds(indexed, 'heron', options)).sort(),
            (await foundIds(plain, 'heron', options)).sort(),
          );
        },
      },
      {
        title: 'refuses what is no list of different metadata or source fields',
        async run(harness) {
          for (const indexed of ['kind', [1], [''], ['kind', 'kind'], ['createdAt'], Array(17).fill('x')]) {
            throwsAtOnce('INVALID_ARGUMENT', () => harness.open({ indexed: indexed as string[] }));
          }
          await refuses('INVALID_ARGUMENT', () =>
            harness.open({ indexed: ['kind'] }).search('heron', { filter: { kind: [] as never } }),
          );
        },
      },
    ],
  },
];

/**
 * Tests the option `indexed` of a backend's stores: it makes searches and lists with a filter faster, and changes no result.
 * For backends whose stores can filter and have the option.
 */
export function describeIndexedFields(subject: Subject<IndexedFieldsHarness, StoreCapabilities>): void {
  const harness = async () => settling(await subject.harness());
  describeCases('store with indexed fields', indexedFieldsCases, { ...subject, harness });
}
