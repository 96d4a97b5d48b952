import { VectorIndex } from '@keepsake/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mangled, ofOtherByteOrder, truncated } from './mangle.ts';

const dimensions = 5;
const number = fc.float({ min: -1000, max: 1000, noNaN: true });
const vector = fc.oneof(
  fc.array(number, { minLength: dimensions, maxLength: dimensions }),
  // The same direction, so that age decides the order.
  fc.constantFrom([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]),
);
const change = fc.record({ key: fc.nat(100), vector: fc.option(vector, { nil: undefined }) });

function make(
  index: VectorIndex<number>,
  { key, vector }: { key: number; vector: readonly number[] | undefined },
): void {
  if (vector === undefined) index.remove(key);
  else index.set(key, vector);
}

describe('a restored vector index', () => {
  it('returns the same results and scores, also after changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), fc.array(change), vector, (before, after, query) => {
        const never = new VectorIndex<number>({ dimensions });
        for (const one of before) make(never, one);
        const back = VectorIndex.restore<number>(never.snapshot(), { dimensions }) as VectorIndex<number>;
        expect(back.search(query, { limit: 200 })).toEqual(never.search(query, { limit: 200 }));
        for (const one of after) for (const index of [never, back]) make(index, one);
        expect(back.size).toBe(never.size);
        expect(back.search(query, { limit: 200 })).toEqual(never.search(query, { limit: 200 }));
      }),
      { numRuns: 50 },
    );
  });

  it('keeps string and number keys, and shares no memory with the snapshot', () => {
    const index = new VectorIndex<string | number>({ dimensions: 2 });
    index.set('1', [1, 0]);
    index.set(1, [0, 1]);
    index.set('gone', [1, 1]);
    index.remove('gone');
    const shifted = Buffer.concat([Buffer.alloc(1), index.snapshot()]).subarray(1);
    const back = VectorIndex.restore<string | number>(shifted, { dimensions: 2 });
    shifted.fill(0xff);
    expect(back?.search([1, 0])).toEqual([
      { key: '1', score: 1 },
      { key: 1, score: 0 },
    ]);
    expect([back?.has('1'), back?.has(1), back?.has('gone')]).toEqual([true, true, false]);
  });
});

describe('restore refuses', () => {
  const index = new VectorIndex({ dimensions: 2 });
  index.set('north', [0, 1]);
  index.set('east', [1, 0]);
  const bytes = index.snapshot();

  it('truncated snapshots, other dimensions and the other byte order', () => {
    for (const cut of truncated(bytes)) expect(VectorIndex.restore(cut, { dimensions: 2 })).toBeUndefined();
    expect(VectorIndex.restore(bytes, { dimensions: 1 })).toBeUndefined();
    expect(VectorIndex.restore(bytes, { dimensions: 3 })).toBeUndefined();
    expect(VectorIndex.restore(ofOtherByteOrder(bytes), { dimensions: 2 })).toBeUndefined();
    expect(() => VectorIndex.restore(bytes, { dimensions: 0 })).toThrow(RangeError);
  });

  it('fewer keys than vectors', () => {
    const text = Buffer.from(bytes).toString('latin1');
    expect(text).toContain('["north","east"]');
    for (const keys of ['["north_,_east"]', '["north","north"', '["north",{"e":1}']) {
      const other = text.replace('["north","east"]', keys);
      expect(VectorIndex.restore(Buffer.from(other, 'latin1'), { dimensions: 2 })).toBeUndefined();
    }
  });

  it('damaged snapshots, or else returns a working index', () => {
    let [tried, refused] = [0, 0];
    for (const other of mangled(bytes)) {
      tried++;
      const back = VectorIndex.restore(other, { dimensions: 2 });
      if (back === undefined) refused++;
      else expect(back.search([1, 1])).toHaveLength(2);
    }
    expect(refused).toBeGreaterThan(tried / 2);
  });
});
