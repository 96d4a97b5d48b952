import assert from 'node:assert/strict';
import { isMemoryError, type Namespace } from '@keepsake/core';
import { isWithin } from '@keepsake/core/adapter';
import { allNamespaces, countsBelow, onlyWhere, type RecordStoreCases, range } from './helpers.ts';
import { HOSTILE_NAMES } from './hostile.ts';

function counts(...entries: [path: string[], count: number][]): Map<string, number> {
  return new Map(entries.map(([path, count]) => [JSON.stringify(path), count]));
}

/** Namespaces that come next to each other in the order of one backend or another. */
const NEIGHBOURS = [
  ['a'],
  ['a', 'x'],
  ['a', 'y', 'z'],
  ...['a-2', 'a;', 'a!', 'a0', 'a\u0001', 'a語', 'a%'].flatMap((name) => [[name], [name, 'x']]),
  ['A', 'x'],
  ['b', 'x'],
];

function isBelowAny(segments: readonly string[], path: Namespace, depth: number): boolean {
  return path.slice(depth, -1).some((segment) => segments.includes(segment));
}

export const namespaceListing: RecordStoreCases = {
  concern: 'Listing namespaces',
  cases: onlyWhere(
    ({ enumerate }) => enumerate,
    [
      {
        title: 'namespaces of an empty tree returns an empty page without a cursor',
        async run(harness) {
          const page = await harness.open().namespaces();
          assert.deepEqual(page.items, []);
          assert.equal(page.cursor, undefined);
        },
      },
      {
        title: 'namespaces lists all namespaces with records strictly below, with counts',
        async run(harness) {
          const root = harness.open();
          await root.put({ content: 'heron' });
          await root.within(['a']).putMany([{ content: 'heron' }, { content: 'heron' }]);
          await root.within(['a', 'b', 'c']).put({ content: 'heron' });
          await root.within(['d', 'e']).putMany(range(3).map(() => ({ content: 'heron' })));
          assert.deepEqual(
            new Map([...(await countsBelow(root))].sort()),
            counts([['a', 'b', 'c'], 1], [['a'], 2], [['d', 'e'], 3]),
          );
        },
      },
      {
        title: 'namespaces lists only namespaces below its own, not above, beside, or with a common name prefix',
        async run(harness) {
          const root = harness.open();
          for (const path of [[], ['a'], ['a', 'b'], ['ab', 'c'], ['a*', 'c'], ['a:b'], ['A', 'b'], ['d', 'a', 'b']]) {
            await root.within(path).put({ content: 'heron' });
          }
          assert.deepEqual(await countsBelow(root.within(['a'])), counts([['b'], 1]));
          assert.deepEqual(await countsBelow(root.within(['a*'])), counts([['c'], 1]));
          assert.deepEqual(await countsBelow(root.within(['*'])), counts());
          assert.deepEqual(await countsBelow(root.within(['a', 'b'])), counts());
          assert.deepEqual(await countsBelow(root.within(['d'])), counts([['a', 'b'], 1]));
        },
      },
      {
        title: 'namespaces with notBelow lists all but those strictly below a segment, in order, on pages of any size',
        async run(harness) {
          const root = harness.open();
          for (const path of NEIGHBOURS) await root.within(path).put({ content: 'heron' });
          const places = [root, root.within(['a']), root.within(['a', 'x'])];
          const segments = [...new Set(NEIGHBOURS.flat())];
          for (const store of places) {
            const all = (await allNamespaces(store)).map(({ namespace }) => namespace);
            for (const notBelow of [[], ...segments.map((one) => [one]), ['a', 'y'], ['y', 'x', 'none'], segments]) {
              const expected = all.filter((path) => !isBelowAny(notBelow, path, store.namespace.length));
              for (const limit of [1, 4, 50]) {
                const infos = await allNamespaces(store, limit, { notBelow });
                assert.deepEqual(
                  infos.map(({ namespace }) => namespace),
                  expected,
                );
              }
            }
          }
        },
      },
      {
        title: 'namespaces with notBelow passes over many that are below a segment, and misses none after them',
        async run(harness) {
          const root = harness.open();
          for (const parent of ['b', 'c']) {
            const write = (n: number) => root.within([parent, 'u', `user ${n}`]).put({ content: 'heron' });
            await Promise.all(range(120).map(write));
          }
          const others = [
            ['a'],
            ['b', 't'],
            ['b', 'u'],
            ['b', 'u-turn'],
            ['b', 'v'],
            ['c', 'u'],
            ['c', 'ua', 'u'],
            ['d'],
          ];
          for (const path of others) await root.within(path).put({ content: 'heron' });
          for (const limit of [1, 3, 101]) {
            const infos = await allNamespaces(root, limit, { notBelow: ['u', 's'] });
            assert.deepEqual(
              infos.map(({ namespace }) => namespace.slice(root.namespace.length)),
              others,
            );
          }
        },
      },
      {
        title: 'a page can begin with another notBelow than the page before',
        async run(harness) {
          const root = harness.open();
          for (const path of NEIGHBOURS) await root.within(path).put({ content: 'heron' });
          const all = (await allNamespaces(root)).map(({ namespace }) => namespace);
          for (const [index, last] of all.entries()) {
            const { cursor } = await root.namespaces({ limit: index + 1 });
            if (cursor === undefined) continue;
            const notBelow = last.slice(root.namespace.length, root.namespace.length + 1);
            const rest = await root.namespaces({ cursor, notBelow });
            assert.deepEqual(
              rest.items.map(({ namespace }) => namespace),
              all.slice(index + 1).filter((path) => !isBelowAny(notBelow, path, root.namespace.length)),
            );
          }
        },
      },
      {
        title: 'the cursor of a store above lists nothing beside a namespace',
        async run(harness) {
          const root = harness.open();
          for (const path of NEIGHBOURS) await root.within(path).put({ content: 'heron' });
          for (const index of NEIGHBOURS.keys()) {
            const { cursor } = await root.namespaces({ limit: index + 1 });
            if (cursor === undefined) continue;
            const store = root.within(['a']);
            const page = await store.namespaces({ cursor }).catch((error: unknown) => {
              assert.ok(isMemoryError(error, 'INVALID_ARGUMENT'), String(error));
              return { items: [] };
            });
            for (const { namespace } of page.items) assert.ok(isWithin(namespace, store.namespace), String(namespace));
          }
        },
      },
      {
        title: 'the counts follow each change',
        async run(harness) {
          const root = harness.open();
          const store = root.within(['a']);
          await store.putMany(['one', 'two', 'three'].map((id) => ({ id, content: 'heron' })));
          await store.put({ id: 'one', content: 'crane' });
          assert.deepEqual(await countsBelow(root), counts([['a'], 3]));
          await store.delete('two');
          assert.deepEqual(await countsBelow(root), counts([['a'], 2]));
          await store.put({ id: 'hidden', content: 'heron', index: false });
          assert.deepEqual(await countsBelow(root), counts([['a'], 3]));
        },
      },
      {
        title: 'a namespace without records is no longer listed',
        async run(harness) {
          const root = harness.open();
          await root.within(['a']).put({ id: 'one', content: 'heron' });
          await root.within(['b']).put({ id: 'one', content: 'heron' });
          await root.within(['c', 'd']).put({ id: 'one', content: 'heron' });
          await root.within(['a']).delete('one');
          await root.within(['b']).clear();
          assert.deepEqual(await countsBelow(root), counts([['c', 'd'], 1]));
        },
      },
      {
        title: 'reading a namespace does not create it',
        async run(harness) {
          const store = harness.open({ namespace: ['a'] });
          await store.get('one');
          await store.search('heron');
          await store.list();
          await store.delete('one');
          await store.clear();
          assert.deepEqual(await countsBelow(harness.open()), counts());
        },
      },
      {
        title: 'pages of namespaces neither repeat nor skip one, for every limit',
        async run(harness) {
          const root = harness.open();
          for (const number of range(7)) await root.within([`place ${(number * 3) % 7}`]).put({ content: 'heron' });
          const all = await allNamespaces(root);
          assert.equal(all.length, 7);
          for (const limit of [1, 2, 6, 7, 8]) {
            assert.deepEqual(await allNamespaces(root, limit), all);
            assert.ok((await root.namespaces({ limit })).items.length <= limit);
          }
          assert.equal((await root.namespaces({ limit: 7 })).cursor, undefined);
        },
      },
      {
        title: 'namespaces created and removed during paging neither repeat nor hide the others',
        async run(harness) {
          const root = harness.open();
          for (const number of range(8)) await root.within([`place ${number}`]).put({ content: 'heron' });
          const first = await root.namespaces({ limit: 3 });
          const names = (await allNamespaces(root)).map(({ namespace }) => namespace.at(-1) as string);
          // A listed namespace, the one at the cursor, and the next one.
          for (const gone of [0, 2, 3]) await root.within([names[gone] as string]).clear();
          await root.within(['place 00']).put({ content: 'heron' });
          await root.within(['place 9']).put({ content: 'heron' });
          const rest = await root.namespaces({ limit: 100, cursor: first.cursor as string });
          const seen = rest.items.map(({ namespace }) => namespace.at(-1) as string);
          assert.deepEqual(
            seen.filter((name) => names.includes(name)),
            names.slice(4),
          );
        },
      },
      {
        title: 'paths come back unchanged from namespaces, whatever they contain',
        async run(harness) {
          const root = harness.open();
          for (const name of HOSTILE_NAMES) await root.within([name, 'x'.repeat(256)]).put({ content: 'heron' });
          const below = await countsBelow(root, 10);
          const expected = HOSTILE_NAMES.map((name) => JSON.stringify([name, 'x'.repeat(256)]));
          assert.deepEqual([...below.keys()].sort(), expected.sort());
        },
      },
    ],
  ),
};
