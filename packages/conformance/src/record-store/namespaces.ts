import assert from 'node:assert/strict';
import type { Namespace, RecordStore, StoreCapabilities } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import fc from 'fast-check';
import { foundIds, listAll, type RecordStoreCases, range, throwsAtOnce } from './helpers.ts';
import { HOSTILE_NAMES, TWINS } from './hostile.ts';

const badSegments: readonly unknown[] = ['', 'x'.repeat(257), 'a\0b', '\ud800', 'a\udc00', 7, null, undefined, ['a']];

/** Paths that look the same once they are joined or partly encoded. */
const LOOKALIKES: readonly Namespace[] = [
  ['a', 'b'],
  ['a:b'],
  ['a/b'],
  ['a', 'b', 'c'],
  ['a:b', 'c'],
  ['a', 'b:c'],
  ['a%3Ab'],
  ['a%2Fb'],
  ['a.b'],
  ['a,b'],
  ['a|b'],
  ['a\u0001b'],
  ['a\u001fb'],
  ['a\nb'],
  ['a\tb'],
  ['a', ':b'],
  ['a:', 'b'],
  ['a', '/', 'b'],
  ['a', ':', 'b'],
  ['["a","b"]'],
  ['a","b'],
  ['a', 'b%'],
  ['b', 'a'],
  ['a'],
  ['b'],
  [],
];

/** Fails unless two stores share nothing: in get, list, search, versions, delete and clear. Both end up empty. */
async function assertApart(a: RecordStore, b: RecordStore, { enumerate }: StoreCapabilities): Promise<void> {
  const what = `${JSON.stringify(a.namespace)} and ${JSON.stringify(b.namespace)}`;
  await a.put({ id: 'one', content: 'heron of a' });
  assert.equal(await b.get('one'), undefined, what);
  assert.deepEqual(await foundIds(b, 'heron'), [], what);
  assert.equal(await b.delete('one'), false, what);
  assert.equal(await b.clear(), 0, what);
  assert.equal(putCount((await b.put({ id: 'one', content: 'heron of b' }, { ifVersion: 0 })).version), 1, what);
  await b.put({ id: 'two', content: 'heron of b' });
  assert.equal((await a.get('one'))?.content, 'heron of a', what);
  assert.deepEqual(await foundIds(a, 'heron'), ['one'], what);
  if (enumerate) {
    const [inA, inB] = [await listAll(a), await listAll(b, { order: 'oldest' })];
    assert.deepEqual([inA.map(({ id }) => id), inB.map(({ id }) => id)], [['one'], ['one', 'two']], what);
  }
  assert.equal(await a.clear(), 1, what);
  assert.equal((await b.get('one'))?.content, 'heron of b', what);
  assert.equal(await b.delete('one'), true, what);
  assert.equal(await b.clear(), 1, what);
}

const segment = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', 'A', 'a*', 'é', 'e\u0301', ...HOSTILE_NAMES),
  fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom(...'ab:/\\*?[]%_. ') }),
);
const path = fc.array(segment, { maxLength: 3 });

export const namespaces: RecordStoreCases = {
  concern: 'Namespaces',
  cases: [
    {
      title: 'a store sees neither its parent, its child nor its sibling',
      async run(harness, capabilities) {
        const open = (...namespace: string[]) => harness.open({ namespace });
        await assertApart(open(), open('a'), capabilities);
        await assertApart(open('a'), open(), capabilities);
        await assertApart(open('a'), open('a', 'b'), capabilities);
        await assertApart(open('a', 'b'), open('a'), capabilities);
        await assertApart(open('a', 'b'), open('a', 'c'), capabilities);
        await assertApart(open('a', 'b'), open('c', 'b'), capabilities);
      },
    },
    {
      title: 'a store does not see a sibling with a common name prefix, in either direction',
      async run(harness, capabilities) {
        const pairs = [
          [['user'], ['user1']],
          [
            ['user', 'a'],
            ['user', 'ab'],
          ],
          [
            ['a', 'b'],
            ['a', 'bb', 'c'],
          ],
          [['a'], ['aa', 'a']],
        ];
        for (const [one, other] of pairs as [string[], string[]][]) {
          const [a, b] = [harness.open({ namespace: one }), harness.open({ namespace: other })];
          await assertApart(a, b, capabilities);
          await assertApart(b, a, capabilities);
        }
      },
    },
    {
      title: 'segments that differ in case, Unicode form or a character, or as a pattern, are different namespaces',
      async run(harness, capabilities) {
        for (const [one, other] of TWINS) {
          const [a, b] = [harness.open({ namespace: ['u', one] }), harness.open({ namespace: ['u', other] })];
          await assertApart(a, b, capabilities);
        }
      },
    },
    {
      title: 'paths are compared segment by segment, not as joined text',
      async run(harness) {
        for (const [index, namespace] of LOOKALIKES.entries()) {
          const record = await harness.open({ namespace }).put({ id: 'one', content: `heron ${index}` });
          assert.equal(putCount(record.version), 1, JSON.stringify(namespace));
        }
        for (const [index, namespace] of LOOKALIKES.entries()) {
          const entries = await harness.open({ namespace }).search('heron');
          assert.deepEqual(
            entries.map(({ content }) => content),
            [`heron ${index}`],
            JSON.stringify(namespace),
          );
        }
      },
    },
    {
      title: 'any text is a distinct segment: patterns, paths, quotes, devices, separators',
      async run(harness) {
        for (const [index, name] of HOSTILE_NAMES.entries()) {
          await harness.open({ namespace: ['t', name] }).put({ id: 'one', content: `heron ${index}` });
        }
        for (const [index, name] of HOSTILE_NAMES.entries()) {
          const store = harness.open({ namespace: ['t', name] });
          assert.equal((await store.get('one'))?.content, `heron ${index}`, name);
          assert.equal((await store.search('heron')).length, 1, name);
          assert.equal(await store.clear(), 1, name);
        }
      },
    },
    {
      title: 'a segment of 256 characters counts to its last one',
      async run(harness, capabilities) {
        for (const character of ['x', '語', '/']) {
          const [a, b] = ['1', '2'].map((last) => harness.open({ namespace: ['t', character.repeat(255) + last] })) as [
            RecordStore,
            RecordStore,
          ];
          await assertApart(a, b, capabilities);
        }
      },
    },
    {
      title: 'a path can have many segments',
      async run(harness, capabilities) {
        const namespace = range(12).map((depth) => `level ${depth}`);
        await assertApart(
          harness.open({ namespace }),
          harness.open({ namespace: namespace.slice(0, -1) }),
          capabilities,
        );
        await assertApart(harness.open({ namespace }), harness.open({ namespace: [...namespace, 'x'] }), capabilities);
      },
    },
    {
      title: 'within opens the namespace of the path, and exposes it',
      async run(harness) {
        const root = harness.open();
        const inTwoSteps = root.within(['a']).within(['b:c', '..']);
        assert.deepEqual([...inTwoSteps.namespace], [...root.namespace, 'a', 'b:c', '..']);
        const record = await inTwoSteps.put({ id: 'one', content: 'heron' });
        assert.deepEqual(await root.within(['a', 'b:c', '..']).get('one'), record);
        assert.deepEqual(await harness.open({ namespace: ['a', 'b:c', '..'] }).get('one'), record);
        assert.equal(await root.get('one'), undefined);
        assert.equal(await root.within(['a']).get('one'), undefined);
      },
    },
    {
      title: 'within an empty path is the same namespace',
      async run(harness) {
        const store = harness.open({ namespace: ['a'] });
        const record = await store.within([]).put({ id: 'one', content: 'heron' });
        assert.deepEqual([...store.within([]).namespace], [...store.namespace]);
        assert.deepEqual(await store.get('one'), record);
        assert.deepEqual(await foundIds(store.within([]), 'heron'), ['one']);
      },
    },
    {
      title: 'within refuses segments that are empty, too long, invalid Unicode or not strings',
      async run(harness) {
        const store = harness.open();
        for (const bad of badSegments) {
          throwsAtOnce('INVALID_ARGUMENT', () => store.within([bad as string]));
          throwsAtOnce('INVALID_ARGUMENT', () => store.within(['a', bad as string]));
        }
        for (const bad of ['a', undefined, null, {}, { length: 1 }]) {
          throwsAtOnce('INVALID_ARGUMENT', () => store.within(bad as unknown as Namespace));
        }
      },
    },
    {
      title: 'the namespace of a store is a copy: changing the argument or the result has no effect',
      async run(harness) {
        const root = harness.open();
        const path = ['a', 'b'];
        const store = root.within(path);
        path[1] = 'c';
        try {
          (store.namespace as string[]).push('d');
        } catch {
          // Frozen, which also protects it.
        }
        await store.put({ id: 'one', content: 'heron' });
        assert.ok(await root.within(['a', 'b']).get('one'));
        assert.deepEqual([...root.within(path).namespace], [...root.namespace, 'a', 'c']);
      },
    },
    {
      title: 'generated paths never collide: 0 crossings in get, list, search, count and delete',
      async run(harness, capabilities) {
        const pairs = fc.tuple(path, path).filter(([a, b]) => JSON.stringify(a) !== JSON.stringify(b));
        let run = 0;
        await fc.assert(
          fc.asyncProperty(pairs, async ([a, b]) => {
            const top = harness.open({ namespace: [`run ${run++}`] });
            await assertApart(top.within(a), top.within(b), capabilities);
          }),
          { numRuns: 40 },
        );
      },
    },
  ],
};
