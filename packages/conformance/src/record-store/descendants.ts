import assert from 'node:assert/strict';
import type { MemoryRecord, Namespace, RecordStore } from '@keepsake/core';
import {
  allNamespaces,
  listAll,
  onlyWhere,
  type RecordStoreCase,
  type RecordStoreCases,
  range,
  refuses,
} from './helpers.ts';

/** Namespaces of a tree; those below `['a']` are marked. The others only look as if they were below it. */
const TREE: readonly (readonly [path: Namespace, isBelow: boolean])[] = [
  [[], false],
  [['a'], true],
  [['a', 'b'], true],
  [['a', 'b', 'c'], true],
  [['a', ':'], true],
  [['a', 'A'], true],
  [['a', '%', 'é'], true],
  [['A', 'b'], false],
  [['ab'], false],
  [['ab', 'c'], false],
  [['a:b'], false],
  [['a/b', 'c'], false],
  [['a*', 'b'], false],
  [['b', 'a'], false],
  [['b', 'a', 'c'], false],
];

const badFlags: readonly unknown[] = ['true', 1, 0, null, [], {}];

/** A record of each namespace of {@link TREE}; its id is the path. */
async function plant(root: RecordStore): Promise<void> {
  for (const [path] of TREE) await root.within(path).put({ id: idOf(path), content: `heron in ${path.length}` });
}

function idOf(path: Namespace): string {
  return JSON.stringify(path);
}

function expectedBelowA(): string[] {
  return TREE.flatMap(([path, isBelow]) => (isBelow ? [idOf(path)] : [])).sort();
}

/** Each id with its namespace, in a stable order. */
function placed(entries: readonly { readonly id?: string; readonly namespace?: Namespace }[]): string[] {
  return entries.map(({ id, namespace }) => `${id} of ${JSON.stringify(namespace)}`).sort();
}

const listing: readonly RecordStoreCase[] = [
  {
    title: 'list with descendants returns the records here and below, and nothing above or beside',
    async run(harness) {
      const root = harness.open();
      await plant(root);
      const listed = await listAll(root.within(['a']), { descendants: true });
      assert.deepEqual(listed.map(({ id }) => id).sort(), expectedBelowA());
      assert.equal((await listAll(root, { descendants: true })).length, TREE.length);
      assert.deepEqual(await listAll(root.within(['a', 'b', 'c', 'd']), { descendants: true }), []);
    },
  },
  {
    title: 'list with descendants names the whole namespace of each record, and other lists name none',
    async run(harness) {
      const top = harness.open({ namespace: ['t'] });
      await plant(top);
      for (const { namespace, ...record } of await listAll(top, { descendants: true })) {
        assert.deepEqual(namespace, [...top.namespace, ...(JSON.parse(record.id) as string[])]);
        assert.deepEqual(record, await top.within(JSON.parse(record.id) as string[]).get(record.id));
      }
      for (const record of await listAll(top)) assert.ok(!('namespace' in record));
    },
  },
  {
    title: 'list with descendants lists its own namespace first, then those below as namespaces does, each in order',
    async run(harness) {
      const root = harness.open();
      const store = root.within(['a']);
      const paths = [[], ['c'], ['b', 'b'], ['b'], ['B']];
      for (const n of range(3))
        for (const path of paths) await store.within(path).put({ id: `${n}`, content: 'heron' });
      const below = (await allNamespaces(store)).map(({ namespace }) => namespace);
      for (const order of ['oldest', 'newest'] as const) {
        const ids = order === 'oldest' ? ['0', '1', '2'] : ['2', '1', '0'];
        const expected = [store.namespace, ...below].flatMap((path) =>
          ids.map((id) => `${id} of ${JSON.stringify(path)}`),
        );
        const listed = await listAll(store, { descendants: true, order });
        assert.deepEqual(
          listed.map(({ id, namespace }) => `${id} of ${JSON.stringify(namespace)}`),
          expected,
        );
      }
    },
  },
  {
    title: 'pages of a list with descendants are full and continue after the previous one, for every limit',
    async run(harness) {
      const store = harness.open({ namespace: ['a'] });
      for (const n of range(12)) await store.within(n % 5 === 0 ? [] : [`${n % 5}`]).put({ content: 'heron' });
      for (const order of ['oldest', 'newest'] as const) {
        const whole = placesOf(await listAll(store, { descendants: true, order }));
        assert.equal(whole.length, 12);
        for (const limit of [1, 2, 3, 5, 11, 12, 13]) {
          const options = { descendants: true, order, limit };
          assert.deepEqual(placesOf(await listAll(store, options)), whole, `limit ${limit}`);
          const first = await store.list(options);
          assert.equal(first.items.length, Math.min(limit, 12));
          assert.equal(first.cursor === undefined, limit >= 12, `limit ${limit}`);
        }
      }
    },
  },
  {
    title: 'namespaces created or cleared during a list with descendants neither repeat nor hide records of others',
    async run(harness) {
      const store = harness.open({ namespace: ['a'] });
      const kept = ['c', 'f', 'i', 'l'];
      for (const name of [...kept, 'd', 'g', 'k']) await store.within([name]).put({ id: name, content: 'heron' });
      const listed: MemoryRecord[] = [];
      let cursor: string | undefined;
      const changes = ['d', 'g', 'k', 'n', 'o'];
      for (let pages = 0; pages < 100; pages++) {
        const page = await store.list({ descendants: true, limit: 1, ...(cursor === undefined ? {} : { cursor }) });
        listed.push(...page.items);
        cursor = page.cursor;
        if (cursor === undefined) break;
        const changed = changes[pages];
        if (changed === undefined) continue;
        await store.within([changed]).clear();
        for (const name of ['a', 'e', 'h']) await store.within([name, changed]).put({ id: 'new', content: 'heron' });
      }
      assert.equal(cursor, undefined, 'The list did not end');
      const old = listed.map(({ id }) => id).filter((id) => kept.includes(id));
      assert.deepEqual(old.toSorted(), kept);
      assert.equal(new Set(placesOf(listed)).size, listed.length, 'A record was listed twice');
    },
  },
  {
    title: 'a list with descendants takes an idPrefix and a filter',
    when: ({ filter }) => filter,
    async run(harness) {
      const store = harness.open({ namespace: ['a'] });
      for (const n of range(12)) {
        await store.within([`${n % 3}`]).put({ id: `${n % 2} ${n}`, content: 'heron', metadata: { n } });
      }
      const options = { descendants: true, idPrefix: '1', filter: { n: { gt: 4 } }, limit: 1 } as const;
      const listed = await listAll(store, options);
      assert.deepEqual(listed.map(({ id }) => id).sort(), ['1 11', '1 5', '1 7', '1 9']);
    },
  },
  {
    title: 'a cursor of a list with descendants opens no other namespace',
    async run(harness) {
      const root = harness.open();
      for (const path of [['a', 'x'], ['a', 'y'], ['b', 'x'], ['b', 'y'], ['c']]) {
        await root.within(path).put({ id: path.join(), content: 'heron' });
      }
      let cursor: string | undefined;
      for (const _ of range(4)) {
        const page = await root.list({ descendants: true, limit: 1, ...(cursor === undefined ? {} : { cursor }) });
        cursor = page.cursor ?? assert.fail('There are more records');
        for (const name of ['a', 'b']) {
          const other = root.within([name]).list({ descendants: true, cursor });
          const { items } = await other.catch(() => ({ items: [] }));
          assert.ok(
            items.every(({ id }) => id.startsWith(name)),
            `A cursor led out of ${name}`,
          );
        }
      }
    },
  },
];

function placesOf(records: readonly MemoryRecord[]): string[] {
  return records.map(({ id, namespace }) => `${id} of ${JSON.stringify(namespace)}`);
}

const searching: readonly RecordStoreCase[] = [
  {
    title: 'search with descendants finds records here and below, and nothing above or beside',
    async run(harness) {
      const root = harness.open();
      await plant(root);
      const options = { descendants: true, maxSearchResults: 100 };
      const entries = await root.within(['a']).search('heron', options);
      assert.deepEqual(entries.map(({ id }) => id).sort(), expectedBelowA());
      assert.equal((await root.search('heron', options)).length, TREE.length);
      assert.deepEqual(await root.within(['a', 'b', 'c', 'd']).search('heron', options), []);
      assert.deepEqual(await root.search(' ', options), []);
    },
  },
  {
    title: 'search with descendants names the whole namespace of each entry, and other searches name none',
    async run(harness) {
      const top = harness.open({ namespace: ['t'] });
      await plant(top);
      const entries = await top.search('heron', { descendants: true, maxSearchResults: 100 });
      assert.deepEqual(
        placed(entries),
        TREE.map(([path]) => `${idOf(path)} of ${JSON.stringify([...top.namespace, ...path])}`).sort(),
      );
      for (const entry of await top.search('heron')) assert.ok(!('namespace' in entry));
    },
  },
  {
    title: 'search with descendants ranks entries of all namespaces together, best first',
    async run(harness) {
      const store = harness.open({ namespace: ['a'] });
      await store.putMany(range(9).map((n) => ({ id: `willow ${n}`, content: `A willow by the river, number ${n}` })));
      await store.within(['alone']).put({ id: 'best', content: 'The heron sleeps in the alder by the river' });
      await store.within(['few']).putMany([
        { id: 'second', content: 'An old alder and a heron' },
        { id: 'other', content: 'Nothing about birds or trees' },
      ]);
      const entries = await store.search('heron alder river', { descendants: true, maxSearchResults: 4 });
      assert.deepEqual(
        entries.slice(0, 2).map(({ id }) => id),
        ['best', 'second'],
      );
      assert.equal(entries.length, 4);
      const scores = entries.map(({ score }) => score ?? 0);
      assert.deepEqual(
        scores,
        scores.toSorted((x, y) => y - x),
      );
    },
  },
  {
    title: 'search with descendants takes a filter, a limit and a minimal score',
    when: ({ filter }) => filter,
    async run(harness) {
      const store = harness.open({ namespace: ['a'] });
      for (const n of range(12)) {
        await store.within([`${n % 4}`]).put({ id: `${n}`, content: 'heron', metadata: { n } });
      }
      const filter = { n: { gte: 7 } };
      const ids = (entries: readonly { readonly id?: string }[]) =>
        entries.map(({ id }) => Number(id)).sort((a, b) => a - b);
      const all = await store.search('heron', { descendants: true, filter, maxSearchResults: 20 });
      assert.deepEqual(ids(all), [7, 8, 9, 10, 11]);
      assert.equal((await store.search('heron', { descendants: true, filter, maxSearchResults: 3 })).length, 3);
      const highest = Math.max(...all.map(({ score }) => score ?? 0));
      assert.deepEqual(await store.search('heron', { descendants: true, minScore: highest + 1 }), []);
    },
  },
  {
    title: 'search with descendants follows changes below: hidden, deleted, cleared',
    async run(harness) {
      const store = harness.open({ namespace: ['a'] });
      const foundIds = async () => (await store.search('heron', { descendants: true })).map(({ id }) => id).sort();
      for (const name of ['x', 'y', 'z']) await store.within([name]).put({ id: name, content: 'heron' });
      assert.deepEqual(await foundIds(), ['x', 'y', 'z']);
      await store.within(['x']).put({ id: 'x', content: 'heron', index: false });
      await store.within(['y']).delete('y');
      assert.deepEqual(await foundIds(), ['z']);
      await store.within(['z']).clear();
      assert.deepEqual(await foundIds(), []);
    },
  },
  {
    title: 'descendants must be true or false',
    async run(harness) {
      const store = harness.open();
      for (const descendants of badFlags as readonly boolean[]) {
        await refuses('INVALID_ARGUMENT', () => store.list({ descendants }));
        await refuses('INVALID_ARGUMENT', () => store.search('heron', { descendants }));
      }
    },
  },
];

export const descendants: RecordStoreCases = {
  concern: 'Descendants',
  cases: onlyWhere(({ enumerate }) => enumerate, [...listing, ...searching]),
};
