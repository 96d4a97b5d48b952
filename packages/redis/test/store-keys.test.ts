import type { Namespace } from '@keepsake/core';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namespacePath, readNamespacePath, storeKeys } from '../src/client/keys.ts';
import { RedisStore } from '../src/index.ts';
import { packId, unpackId } from '../src/stores/pack-id.ts';
import { Registry } from '../src/stores/registry.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

const character = fc.constantFrom(
  ...'ab01AZ:*?[]\\%_./~!-(){}',
  ' ',
  '\n',
  '\u2028',
  '%2F',
  '/a',
  'é',
  'e\u0301',
  '🍵',
  '~\uffff',
);
const segment = fc.array(character, { minLength: 1, maxLength: 4 }).map((characters) => characters.join(''));
const namespace = fc.array(segment, { maxLength: 4 });
/** Two similar namespaces: with the same segments, split or joined at other places. */
const pair = fc.oneof(
  fc.tuple(namespace, namespace),
  fc.tuple(namespace, segment).map(([one, more]): [string[], string[]] => [one, [...one, more]]),
  fc.tuple(namespace, segment, segment).map(([one, a, b]): [string[], string[]] => [
    [...one, a, b],
    [...one, `${a}/${b}`],
  ]),
  fc.tuple(namespace, segment, character).map(([one, a, b]): [string[], string[]] => [
    [...one, a],
    [...one, a + b],
  ]),
);

function isBelow(one: Namespace, top: Namespace): boolean {
  return one.length > top.length && top.every((segment, place) => segment === one[place]);
}

function isSame(one: Namespace, other: Namespace): boolean {
  return one.length === other.length && one.every((segment, place) => segment === other[place]);
}

function byPath(a: Namespace, b: Namespace): number {
  const [one, other] = [namespacePath(a), namespacePath(b)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const PAIRS = rounds(10_000);

describe('Keys of namespaces', () => {
  it(`differ between namespaces, in ${PAIRS} generated pairs`, () => {
    fc.assert(
      fc.property(pair, ([one, other]) => {
        expect(readNamespacePath(namespacePath(one))).toEqual(one);
        expect(namespacePath(one) === namespacePath(other)).toBe(isSame(one, other));
        expect(storeKeys('p:', one).records === storeKeys('p:', other).records).toBe(isSame(one, other));
        // One tag, so one hash slot.
        const tags = Object.values(storeKeys('p:', one)).map((key) => /^p:\{m([\w-]{22})\}:[\w-]+$/.exec(key)?.[1]);
        expect(new Set(tags).size).toBe(1);
        expect(tags[0]).toBeDefined();
      }),
      { numRuns: PAIRS },
    );
  });

  it('are registered below the namespaces above them, and nowhere else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 12 }), fc.nat({ max: 3 }), async (pairs, limit) => {
        const registry = new Registry(shared.client, freshPrefix());
        const namespaces = pairs.flat();
        for (const one of namespaces) await registry.register(one);
        const known = [...new Map(namespaces.map((one) => [namespacePath(one), one])).values()];
        for (const top of [[], ...namespaces]) {
          const below: Namespace[] = [];
          for (let after: Namespace | undefined; ; after = below.at(-1)) {
            const page = await registry.below(top, { after, limit: limit + 1 });
            below.push(...page);
            if (page.length <= limit) break;
          }
          const expected = known.filter((one) => isBelow(one, top)).sort(byPath);
          expect(below).toEqual(expected);
          const segment = namespaces[0]?.at(-1) ?? 'none';
          const having = expected.filter((one) => one.includes(segment));
          expect(await registry.below(top, { limit: 1_000, segment })).toEqual(having);
          for (const after of expected.filter((one) => one.length > top.length + 1)) {
            const beyond = after.slice(0, top.length + 1);
            const rest = expected.filter((one) => byPath(one, after) > 0 && !isBelow(one, beyond));
            expect(await registry.below(top, { limit: 1_000, after, beyond })).toEqual(rest);
          }
        }
      }),
      { numRuns: rounds(30, 8) },
    );
  });

  it('isolate the records of similar namespaces on the server', async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ([one, other]) => {
        fc.pre(!isSame(one, other));
        const top = new RedisStore({ client: shared.client, keyPrefix: freshPrefix(), name: 'memory' });
        const [a, b] = [top.within(one), top.within(other)];
        await a.put({ id: 'x', content: 'tea of one' });
        await b.put({ id: 'x', content: 'tea of the other' });
        expect((await a.search('tea')).map(({ content }) => content)).toEqual(['tea of one']);
        expect((await b.list()).items.map(({ content }) => content)).toEqual(['tea of the other']);
        expect((await a.namespaces()).items.map(({ namespace }) => namespace)).toEqual(
          isBelow(other, one) ? [other] : [],
        );
        expect(await a.clear({ descendants: true })).toBe(isBelow(other, one) ? 2 : 1);
        expect(await b.get('x')).toEqual(isBelow(other, one) ? undefined : expect.anything());
      }),
      { numRuns: rounds(120, 30) },
    );
  });

  it('differ between key prefixes, even if one prefix starts with the other', async () => {
    const prefix = freshPrefix();
    const [a, b] = [prefix, `${prefix}x:`].map(
      (keyPrefix) => new RedisStore({ client: shared.client, keyPrefix, name: 'memory' }),
    );
    await a?.put({ id: 'x', content: 'tea' });
    await b?.within(['a']).put({ id: 'x', content: 'tea' });
    expect(await a?.clear({ descendants: true })).toBe(1);
    expect((await b?.namespaces())?.items).toHaveLength(1);
  });
});

describe('Packed ids', () => {
  const hex = fc.stringMatching(/^[0-9a-f]{64}$/);
  const id = fc.oneof(
    fc.uuid(),
    fc.uuid().map((one) => one.toUpperCase()),
    hex.map((one) => `content-${one}`),
    hex.map((one) => `message-${one}`),
    hex,
    fc.string({ unit: 'binary', minLength: 1 }).filter((one) => one.isWellFormed() && !one.includes('\0')),
  );

  it('unpack to the same id, and differ from all other packed ids', () => {
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(unpackId(packId(one))).toBe(one);
        expect(packId(one).equals(packId(other))).toBe(one === other);
      }),
      { numRuns: 2_000 },
    );
  });
});
