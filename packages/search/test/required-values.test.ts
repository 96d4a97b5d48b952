import type { FilterValue } from '@keepsake/core';
import { indexedFields, parseFilter } from '@keepsake/core/adapter';
import { describe, expect, it } from 'vitest';
import { isExactKey, requiredValues, valueKey } from '../src/records/required-values.ts';

describe('A filter requires', () => {
  const declared = indexedFields(['kind', 'tag', 'source.run']);

  it('the only value of a declared field, and no other condition', () => {
    const filter = {
      kind: { in: ['note'] },
      other: 'x',
      tag: { in: [1, 2], ne: 3, exists: true },
      createdAt: '2026-11-26',
      'source.run': 'r1',
    };
    expect(requiredValues(declared, parseFilter(filter))).toEqual([
      { field: { part: 'metadata', field: 'kind' }, value: 'note' },
      { field: { part: 'source', field: 'run' }, value: 'r1' },
    ]);
    expect(requiredValues(declared, parseFilter({ kind: { in: [] }, tag: { gt: 1 } }))).toEqual([]);
    expect(requiredValues([], parseFilter({ kind: 'note' }))).toEqual([]);
  });
});

describe('The key of a value in an index', () => {
  it('is another for each value and type, but the same for -0 and 0', () => {
    const values: FilterValue[] = ['', '1', 1, 1.5, 'true', true, false, 'null', null, 0, 'x'.repeat(199)];
    expect(new Set(values.map(valueKey)).size).toBe(values.length);
    expect(valueKey(-0)).toBe(valueKey(0));
  });

  it('is that of equal values only, unless the value is long or has lone surrogates', () => {
    const exact: FilterValue[] = ['', 'x'.repeat(198), '\u{1f600}', 1, -0, true, null];
    for (const value of exact) expect(isExactKey(value)).toBe(true);
    for (const value of ['x'.repeat(199), '\ud83d', '\ufffd', `a\ufffd`]) expect(isExactKey(value)).toBe(false);
  });

  it('has at most 200 characters, and no half of one', () => {
    expect(valueKey('x'.repeat(500))).toHaveLength(200);
    expect(valueKey('x'.repeat(199))).toBe(valueKey('x'.repeat(300)));
    expect(valueKey(`${'x'.repeat(198)}\u{1f600}`).isWellFormed()).toBe(true);
    expect(valueKey('\ud83d').isWellFormed()).toBe(true);
  });
});
