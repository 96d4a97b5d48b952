import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { encodeItem, encodeItems, itemLimit, sameItem } from '../src/session/session-items.ts';

describe('itemLimit', () => {
  it.each([
    [undefined, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    // Larger than the integers of any backend.
    [1e300, undefined],
    [0, 0],
    [-0, 0],
    [-1, 0],
    [Number.NEGATIVE_INFINITY, 0],
    [0.1, 1],
    [1.5, 2],
    [7, 7],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('%s means %s', (limit, expected) => {
    expect(itemLimit(limit)).toBe(expected);
  });

  it.each(['5', null, {}, 5n, true])('refuses %s', (limit) => {
    expect(() => itemLimit(limit as unknown as number)).toThrow(
      memoryError('INVALID_ARGUMENT', 'limit must be a number.'),
    );
  });
});

describe('encodeItems', () => {
  it('returns one text per item, with the fields in order', () => {
    expect(encodeItems([{ b: 1, a: undefined }, {}])).toEqual(['{"b":1}', '{}']);
    expect(encodeItems([])).toEqual([]);
  });

  it.each([
    ['a string', 'items'],
    ['an object', { length: 0 }],
    ['nothing', undefined],
  ])('refuses %s as the list', (_name, items) => {
    expect(() => encodeItems(items as unknown as object[])).toThrow(
      memoryError('INVALID_ARGUMENT', 'items must be an array of items.'),
    );
  });

  it.each([
    ['null', null],
    ['a string', 'hello'],
    ['a list', [{ a: 1 }]],
    ['undefined', undefined],
  ])('refuses %s as an item, and names its index', (_name, item) => {
    expect(() => encodeItems([{ a: 1 }, item as unknown as object], 'transaction.items')).toThrow(
      memoryError('INVALID_ARGUMENT', 'transaction.items[1] must be a JSON object.'),
    );
  });

  it('refuses holes and values that JSON cannot hold, and names the path', () => {
    expect(() => encodeItems(new Array(1))).toThrow(memoryError('INVALID_ARGUMENT', 'items[0] must be a JSON object.'));
    expect(() => encodeItems([{ at: { time: new Date(0) } }])).toThrow(
      memoryError('INVALID_ARGUMENT', /^items\[0\]\.<field 1>\.<field 1> is a Date, which JSON can't hold\./),
    );
    expect(() => encodeItem(new Map(), 'item')).toThrow(memoryError('INVALID_ARGUMENT', /^item is a Map/));
  });
});

describe('sameItem', () => {
  it('compares as JSON, regardless of field order', () => {
    expect(sameItem('{"a":1,"b":{"c":2,"d":3}}', '{ "b": {"d":3,"c":2}, "a":1 }')).toBe(true);
    expect(sameItem('{"a":"\\u0061"}', '{"a":"a"}')).toBe(true);
    expect(sameItem('{"a":[1,2]}', '{"a":[2,1]}')).toBe(false);
    expect(sameItem('{"a":1}', '{"a":1,"b":null}')).toBe(false);
    expect(sameItem('{"__proto__":1}', '{}')).toBe(false);
  });
});
