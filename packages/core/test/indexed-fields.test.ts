import { describe, expect, it } from 'vitest';
import { indexedFields } from '../src/adapter.ts';

describe('The option `indexed`', () => {
  it('names fields of metadata and source as filters do', () => {
    expect(indexedFields(['kind', 'source.run', 'source.other', '__proto__'])).toEqual([
      { part: 'metadata', field: 'kind' },
      { part: 'source', field: 'run' },
      { part: 'metadata', field: 'source.other' },
      { part: 'metadata', field: '__proto__' },
    ]);
    expect(indexedFields(undefined)).toEqual([]);
    expect(indexedFields([])).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a text', 'kind', /list of field names/],
    ['an object', { kind: true }, /list of field names/],
    ['a number in the list', [1], /1 to 128 characters/],
    ['an empty name', [''], /1 to 128 characters/],
    ['a long name', ['x'.repeat(129)], /1 to 128 characters/],
    ['half of a character', ['\ud83d'], /1 to 128 characters/],
    ['undefined in the list', [undefined], /1 to 128 characters/],
    ['a time', ['createdAt'], /createdAt.*time/],
    ['a field twice', ['kind', 'kind'], /twice/],
    ['17 fields', Array.from({ length: 17 }, (_, n) => `field ${n}`), /at most 16 fields, got 17/],
  ])('refuses %s', (_, indexed, message) => {
    expect(() => indexedFields(indexed as string[])).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    );
  });
});
