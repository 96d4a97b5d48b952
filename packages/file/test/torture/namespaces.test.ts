import { formatNamespace, type Namespace } from '@keepsake/core';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { SEED } from '@keepsake/testing/torture/seed';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FileStore } from '../../src/index.ts';
import { places } from './places.ts';

/* Similar namespaces: each sees only its own records. */

const { place } = places();
const PAIRS = rounds(10_000);
const SIGNS = [...': * ? [ ] \\ % _ . /'.split(' '), 'a', 'b', 'A', ' ', '-', '%3A', '%2F', '..', '**', 'a:b', 'a/b'];

const segment = fc.array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 3 }).map((signs) => signs.join(''));
const path = fc.array(segment, { minLength: 1, maxLength: 3 });

/** A path and variants of it with small changes. */
const alike: fc.Arbitrary<Namespace[]> = fc
  .tuple(path, fc.array(fc.tuple(fc.nat(9), fc.nat(7), fc.constantFrom(...SIGNS)), { minLength: 24, maxLength: 24 }))
  .map(([base, changes]) => {
    const paths = [base, ...changes.map(([change, at, sign]) => changed(base, change, at, sign))];
    return [...new Map(paths.map((one) => [JSON.stringify(one), one])).values()].filter((one) => one.length > 0);
  });

function changed(base: Namespace, change: number, at: number, sign: string): string[] {
  const index = at % base.length;
  const one = base[index] as string;
  const place = at % (one.length + 1);
  switch (change) {
    case 0:
      return [...base, sign];
    case 1:
      return base.slice(0, -1);
    case 2:
      return [sign, ...base];
    case 3:
      return [base.join(sign)];
    case 4:
      return one.split(sign).filter((part) => part !== '');
    case 5:
      return base.with(index, one.slice(0, place) + sign + one.slice(place));
    case 6:
      return base.with(index, one.slice(0, place) + sign + one.slice(place + 1));
    case 7:
      return [formatNamespace(base)];
    case 8:
      return base.with(index, one + sign);
    default:
      return base.with(index, sign);
  }
}

it('similar namespaces never see records of each other', async (context) => {
  const reads = { get: 0, list: 0, search: 0, count: 0, delete: 0 };
  let pairs = 0;
  const together = fc.asyncProperty(alike, async (namespaces) => {
    if (pairs >= PAIRS) return;
    const directory = place();
    const root = new FileStore({ directory, name: 'memory', durability: 'os' });
    // Every other store comes from the root's within(), the rest from the constructor.
    const stores = namespaces.map((namespace, n) =>
      n % 2 === 0 ? root.within(namespace) : new FileStore({ directory, name: 'memory', namespace, durability: 'os' }),
    );
    for (const [n, store] of stores.entries()) {
      await store.putMany([
        { id: `own ${n}`, content: `heron ${n}` },
        { id: 'same', content: `heron, the same ${n}` },
      ]);
    }
    for (const [n, store] of stores.entries()) {
      expect(await store.get('same')).toMatchObject({ content: `heron, the same ${n}`, version: putTimes(1) });
      for (const other of stores.keys()) {
        if (other === n) continue;
        expect(await store.get(`own ${other}`)).toBeUndefined();
        expect(await store.delete(`own ${other}`)).toBe(false);
        reads.get++;
        reads.delete++;
      }
      const { items } = await store.list({ order: 'oldest' });
      expect(items.map(({ id }) => id)).toEqual([`own ${n}`, 'same']);
      const found = await store.search('heron', { maxSearchResults: 1000 });
      expect(found.map(({ content }) => content).sort()).toEqual([`heron ${n}`, `heron, the same ${n}`]);
      reads.list += stores.length - 1;
      reads.search += stores.length - 1;
    }
    const expected = namespaces.map((namespace) => ({ namespace, recordCount: 2 }));
    const sorted = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).sort();
    expect(sorted((await root.namespaces({ limit: 1000 })).items)).toEqual(sorted(expected));
    for (const [n, store] of stores.entries()) {
      const below = namespaces.filter(
        (one) =>
          one.length > (namespaces[n]?.length ?? 0) && namespaces[n]?.every((segment, index) => segment === one[index]),
      );
      expect((await store.namespaces({ limit: 1000 })).items).toHaveLength(below.length);
      reads.count += stores.length - 1;
    }
    // Clearing a store removes only its own records.
    for (const [n, store] of stores.entries()) {
      expect(await store.clear()).toBe(2);
      expect((await root.namespaces({ limit: 1000 })).items).toHaveLength(stores.length - n - 1);
    }
    pairs += (stores.length * (stores.length - 1)) / 2;
  });
  await fc.assert(together, { numRuns: 200, seed: SEED });
  expect(pairs).toBeGreaterThanOrEqual(PAIRS);
  show(
    context,
    23,
    `${count(pairs)} generated pairs of similar namespaces (: * ? [ ] \\ % _ . /): 0 crossings in ${count(reads.get)} reads by id, ${count(reads.list)} lists, ${count(reads.search)} searches, ${count(reads.count)} counts, ${count(reads.delete)} deletes`,
  );
});
