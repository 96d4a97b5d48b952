import assert from 'node:assert/strict';
import type { Namespace, RecordStore } from '@keepsake/core';
import { badSegments } from '../segments.ts';
import { allNamespaces, onlyWhere, type RecordStoreCases, range, refuses } from './helpers.ts';
import { HOSTILE_NAMES, TWINS } from './hostile.ts';

/** The longest segments, which differ at their ends. */
const LONG = ['x', 'y', '語', '\u0001']
  .map((last) => 'x'.repeat(255) + last)
  .concat('語'.repeat(256), '💡'.repeat(128));
const NAMES: readonly string[] = [...new Set([...HOSTILE_NAMES, ...TWINS.flat(), ...LONG])];

/** The namespaces below a store that have a segment, as the texts of their paths from the root of the test. */
async function pathsWith(root: RecordStore, segment: string, { at = [], limit }: Where = {}): Promise<string[]> {
  const infos = await allNamespaces(root.within(at), limit, { segment });
  return infos.map(({ namespace }) => pathIn(root, namespace));
}

interface Where {
  /** The store, from the root of the test. */
  readonly at?: Namespace;
  readonly limit?: number;
}

function pathIn(root: RecordStore, namespace: Namespace): string {
  return JSON.stringify(namespace.slice(root.namespace.length));
}

function texts(paths: readonly Namespace[]): string[] {
  return paths.map((path) => JSON.stringify(path)).sort();
}

export const namespaceSegments: RecordStoreCases = {
  concern: 'Listing namespaces by a segment',
  cases: onlyWhere(
    ({ enumerate }) => enumerate,
    [
      {
        title: 'namespaces with a segment lists those that have exactly this segment, at any depth',
        async run(harness) {
          const root = harness.open();
          const paths = NAMES.flatMap((name) => [
            ['u', name, 'notes'],
            [`${name.slice(0, 200)} 2`],
            ['first', 'u', name],
          ]);
          for (const path of [...paths, ['a', 'b', 'a']]) await root.within(path).put({ content: 'heron' });
          for (const name of NAMES) {
            const expected = [['u', name, 'notes'], ['first', 'u', name], ...(name === 'a' ? [['a', 'b', 'a']] : [])];
            assert.deepEqual((await pathsWith(root, name)).sort(), texts(expected));
          }
          for (const none of ['u:alice', 'u:a', 'a:b:a', 'no', 'U', '%'])
            assert.deepEqual(await pathsWith(root, none), []);
        },
      },
      {
        title: 'namespaces with a segment lists none that have it only in the path of the store, or are not below',
        async run(harness) {
          const root = harness.open();
          const paths = [
            ['u'],
            ['u', 'alice'],
            ['u', 'alice', 'notes'],
            ['u', 'alice', 'notes', 'u'],
            ['uu', 'u'],
            ['v', 'u'],
          ];
          for (const path of paths) await root.within(path).put({ content: 'heron' });
          assert.deepEqual((await pathsWith(root, 'alice', { at: ['u'] })).sort(), texts(paths.slice(1, 4)));
          assert.deepEqual(await pathsWith(root, 'u', { at: ['u'] }), texts([['u', 'alice', 'notes', 'u']]));
          assert.deepEqual(await pathsWith(root, 'alice', { at: ['u', 'alice'] }), []);
          assert.deepEqual(await pathsWith(root, 'u', { at: ['u', 'alice', 'notes', 'u'] }), []);
        },
      },
      {
        title: 'pages of namespaces with a segment are full, in the order of all, and continue after the previous one',
        async run(harness) {
          const root = harness.open();
          for (const n of range(30))
            await root.within([`${(n * 7) % 30}`, n % 3 === 0 ? 'alice' : 'bob']).put({ content: 'heron' });
          const all = (await allNamespaces(root)).map(({ namespace }) => pathIn(root, namespace));
          const own = all.filter((path) => path.includes('alice'));
          assert.equal(own.length, 10);
          assert.equal((await root.namespaces({ segment: 'alice', limit: 4 })).items.length, 4);
          for (const limit of [1, 3, 9, 10, 11]) assert.deepEqual(await pathsWith(root, 'alice', { limit }), own);
          assert.equal((await root.namespaces({ segment: 'alice', limit: 10 })).cursor, undefined);
          const first = await root.namespaces({ segment: 'alice', limit: 4 });
          await root.within(first.items[3]?.namespace.slice(root.namespace.length) ?? []).clear();
          const rest = await root.namespaces({ segment: 'alice', cursor: first.cursor });
          assert.deepEqual(
            rest.items.map(({ namespace }) => pathIn(root, namespace)),
            own.slice(4),
          );
        },
      },
      {
        title: 'the namespaces with a segment and their counts follow each change',
        async run(harness) {
          const root = harness.open();
          const counts = async () => {
            const infos = await allNamespaces(root, undefined, { segment: 'alice' });
            return infos
              .map(({ namespace, recordCount }) => [namespace.slice(root.namespace.length).join(':'), recordCount])
              .sort();
          };
          const [memory, notes] = [root.within(['u', 'alice']), root.within(['u', 'alice', 'notes'])];
          assert.deepEqual(await counts(), []);
          await memory.putMany(range(2).map((n) => ({ id: `${n}`, content: 'heron' })));
          await notes.put({ id: 'one', content: 'heron' });
          await root.within(['u', 'bob']).put({ content: 'heron' });
          assert.deepEqual(await counts(), [
            ['u:alice', 2],
            ['u:alice:notes', 1],
          ]);
          await notes.delete('one');
          await memory.delete('0');
          assert.deepEqual(await counts(), [['u:alice', 1]]);
          await memory.clear();
          assert.deepEqual(await counts(), []);
          await Promise.all([memory.put({ content: 'heron' }), notes.put({ content: 'heron' })]);
          assert.deepEqual(await counts(), [
            ['u:alice', 1],
            ['u:alice:notes', 1],
          ]);
          await root.within(['u']).clear({ descendants: true });
          assert.deepEqual(await counts(), []);
        },
      },
      {
        title: 'a segment that no namespace can have is refused',
        async run(harness) {
          const root = harness.open();
          await root.within(['a']).put({ content: 'heron' });
          for (const segment of badSegments as readonly string[]) {
            await refuses('INVALID_ARGUMENT', () => root.namespaces({ segment }));
            await refuses('INVALID_ARGUMENT', () => root.namespaces({ notBelow: ['a', segment] }));
          }
          for (const notBelow of [null, '', 'a', 0, false, {}] as unknown as string[][]) {
            await refuses('INVALID_ARGUMENT', () => root.namespaces({ notBelow }));
          }
        },
      },
    ],
  ),
};
