import { type VectorHit, VectorIndex } from '@keepsake/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const number = fc.float({ min: -1000, max: 1000, noNaN: true });

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let product = 0;
  for (let i = 0; i < a.length; i++) product += (a[i] ?? 0) * (b[i] ?? 0);
  const norms = Math.hypot(...Array.from(a)) * Math.hypot(...Array.from(b));
  return norms === 0 ? 0 : product / norms;
}

describe('search', () => {
  it('ranks by angle, regardless of length', () => {
    const index = new VectorIndex({ dimensions: 2 });
    index.set('north', [0, 5]);
    index.set('north-east', [0.1, 0.1]);
    index.set('south', Float32Array.of(0, -1));
    index.set('nowhere', [0, 0]);
    const hits = index.search([0, 100]);
    expect(hits.map((hit) => hit.key)).toEqual(['north', 'north-east', 'nowhere', 'south']);
    expect(hits.map((hit) => hit.score)).toEqual([1, expect.closeTo(Math.SQRT1_2, 6), 0, -1]);
  });

  it('returns the cosine of every vector, best first', () => {
    const vector = fc.array(number, { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(fc.array(vector, { maxLength: 150 }), vector, (vectors, query) => {
        const index = new VectorIndex<number>({ dimensions: 7 });
        for (const [key, vector] of vectors.entries()) index.set(key, vector);
        const hits = index.search(query, { limit: 1000 });
        expect(hits).toHaveLength(vectors.length);
        for (const { key, score } of hits) expect(score).toBeCloseTo(cosine(vectors[key] ?? [], query), 4);
        expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).toSorted((a, b) => b - a));
        expect(index.search(query, { limit: 5 })).toEqual(hits.slice(0, 5));
      }),
      { numRuns: 30 },
    );
  });

  it('returns the best vectors that pass the filter', () => {
    const index = new VectorIndex<number>({ dimensions: 2 });
    for (let key = 0; key < 200; key++) index.set(key, [1, key]);
    const even = index.search([1, 0], { limit: 3, filter: (key) => key % 2 === 0 && key > 100 });
    expect(even.map((hit) => hit.key)).toEqual([102, 104, 106]);
    expect(index.search([1, 0], { limit: 0 })).toEqual([]);
    expect(index.search([1, 0])).toHaveLength(10);
  });

  it('ranks the most recently set vector first among equals', () => {
    const index = new VectorIndex({ dimensions: 2 });
    index.set('a', [1, 0]);
    index.set('b', [2, 0]);
    index.set('c', [3, 0]);
    index.set('a', [4, 0]);
    expect(index.search([1, 0]).map((hit) => hit.key)).toEqual(['a', 'c', 'b']);
    expect(index.search([1, 0], { limit: 1 }).map((hit) => hit.key)).toEqual(['a']);
  });
});

describe('set and remove', () => {
  it('replace, remove and reuse space', () => {
    const index = new VectorIndex({ dimensions: 2 });
    for (let i = 0; i < 1000; i++) {
      index.set(`key ${i}`, [1, i]);
      expect(index.remove(`key ${i}`)).toBe(true);
    }
    expect(index.remove('key 1')).toBe(false);
    expect(index.size).toBe(0);
    expect(index.search([1, 0])).toEqual([]);
    index.set('new', [1, 0]);
    index.set('new', [0, 1]);
    expect(index.size).toBe(1);
    expect(index.search([1, 0])).toEqual([{ key: 'new', score: 0 }]);
  });

  it('copy the vector', () => {
    const index = new VectorIndex({ dimensions: 2 });
    const vector = Float32Array.of(1, 0);
    index.set('a', vector);
    vector[0] = -1;
    expect(index.search([1, 0])).toEqual([{ key: 'a', score: 1 }]);
  });

  it.each([
    ['too few dimensions', [1]],
    ['too many dimensions', [1, 2, 3]],
    ['NaN', [1, Number.NaN]],
    ['infinity', [1, Number.POSITIVE_INFINITY]],
    ['a number beyond 32-bit floats', [1, 1e39]],
  ])('refuse %s and change nothing', (_name, vector) => {
    const index = new VectorIndex({ dimensions: 2 });
    index.set('a', [1, 0]);
    expect(() => index.set('a', vector)).toThrow(RangeError);
    expect(() => index.set('b', vector)).toThrow(RangeError);
    expect(() => index.search(vector)).toThrow(RangeError);
    expect(index.search([1, 0])).toEqual([{ key: 'a', score: 1 }]);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuse an index of %s dimensions', (dimensions) => {
    expect(() => new VectorIndex({ dimensions })).toThrow(RangeError);
  });
});

describe('comparing', () => {
  const vectorOf = (seed: number) => [Math.sin(seed), Math.cos(3 * seed), Math.sin(7 * seed + 1)];
  const change = fc.oneof(
    fc.record({ set: fc.nat(600), seed: fc.nat(99) }),
    fc.record({ remove: fc.nat(600) }),
    fc.constant('step' as const),
  );

  it('in steps gives what comparing at once gives, while vectors change in between', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.array(change, { maxLength: 60 }), (count, changes) => {
        const index = new VectorIndex<number>({ dimensions: 3 });
        for (let key = 0; key < count; key++) index.set(key, vectorOf(key));
        const compared = index.comparing(vectorOf(7));
        for (const one of changes) {
          if (one === 'step') compared.next(() => true);
          else if ('set' in one) index.set(one.set, vectorOf(one.seed));
          else index.remove(one.remove);
        }
        while (!compared.next(() => true));
        const expected = index.compare(vectorOf(7));
        expect([compared.count, compared.mean, compared.deviation]).toEqual([
          expected.count,
          expected.mean,
          expected.deviation,
        ]);
        expect(compared.nearest({ limit: 700 })).toEqual(expected.nearest({ limit: 700 }));
        index.set(3, [0, 0, 1]);
        expect(compared.scoreOf(3)).toBe(index.compare(vectorOf(7)).scoreOf(3));
        expect(compared.nearest({ limit: 700 })).toEqual(index.search(vectorOf(7), { limit: 700 }));
      }),
      { numRuns: 100 },
    );
  });

  it('gives the nearest in pages, also those that are equally near', () => {
    const index = new VectorIndex<number>({ dimensions: 3 });
    for (let key = 0; key < 500; key++) index.set(key, vectorOf(key % 20));
    // As after an update: the vector is newer than the number of its key.
    index.set(41, vectorOf(1));
    const compared = index.compare([0, 1, 1]);
    const pages: number[] = [];
    for (let last: VectorHit<number> | undefined; ; ) {
      const page = compared.nearest({ limit: 7, after: last });
      pages.push(...page.map(({ key }) => key));
      last = page.at(-1);
      if (last === undefined) break;
    }
    expect(pages).toEqual(compared.nearest({ limit: 500 }).map(({ key }) => key));
  });

  it('gives the nearest that pass in steps, between which vectors change', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.array(change, { maxLength: 60 }), fc.nat(5), (count, changes, modulus) => {
        const index = new VectorIndex<number>({ dimensions: 3 });
        for (let key = 0; key < count; key++) index.set(key, vectorOf(key % 40));
        const filter = modulus === 0 ? undefined : (key: number) => key % modulus === 0;
        const nearest = index.comparing(vectorOf(7)).finding(9);
        for (const one of changes) {
          if (one === 'step') nearest.next(() => true, filter);
          else if ('set' in one) index.set(one.set, vectorOf(one.seed));
          else index.remove(one.remove);
        }
        let found = nearest.next(() => true, filter);
        while (found === undefined) found = nearest.next(() => true, filter);
        expect(found).toEqual(index.search(vectorOf(7), { limit: 9, filter }));
      }),
      { numRuns: 200 },
    );
  });

  it('asks in each step about few of the nearest', () => {
    const index = new VectorIndex<number>({ dimensions: 3 });
    for (let key = 0; key < 5_000; key++) index.set(key, vectorOf(key));
    const nearest = index.compare(vectorOf(7)).finding(10);
    const asked: number[] = [];
    for (let found: unknown; found === undefined; ) {
      let count = 0;
      found = nearest.next(
        () => true,
        () => ++count < 0,
      );
      asked.push(count);
    }
    expect(Math.max(...asked)).toBe(1);
    expect(asked.reduce((sum, count) => sum + count)).toBe(5_000);
  });
});
