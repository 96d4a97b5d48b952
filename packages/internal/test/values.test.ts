import { describe, expect, it } from 'vitest';
import { estimateTokens, isObject, parseJson, readToolInput, strictObject, withoutUndefined } from '../src/index.ts';

it('isObject accepts objects with named fields only', () => {
  for (const value of [{}, { a: 1 }, Object.create(null), new Map()]) expect(isObject(value)).toBe(true);
  for (const value of [null, undefined, 0, '', [], () => {}]) expect(isObject(value)).toBe(false);
});

it('estimateTokens counts one token per 3 bytes of UTF-8', () => {
  expect(['', 'a', 'abc', 'abcd', 'жж', '記憶'].map(estimateTokens)).toEqual([0, 1, 1, 2, 2, 2]);
});

it('parseJson returns undefined for invalid JSON', () => {
  expect(['{"a":1}', 'null', '{', ''].map(parseJson)).toEqual([{ a: 1 }, null, undefined, undefined]);
});

it('readToolInput keeps the text of broken JSON', () => {
  expect(['{"a":1}', 'null', '{"a":'].map(readToolInput)).toEqual([{ a: 1 }, null, '{"a":']);
});

describe('objects', () => {
  it('strictObject requires all properties and allows no others', () => {
    expect(strictObject({ a: { type: 'string' } })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    });
  });

  it('withoutUndefined keeps every other value', () => {
    const fields = withoutUndefined({ a: undefined, b: null, c: 0, d: '' });
    expect(Object.entries(fields)).toEqual(Object.entries({ b: null, c: 0, d: '' }));
  });
});
