import { memoryError } from '@keepsake/testing/memory-error';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesFilter, parseFilter } from '../src/adapter.ts';
import type { Filter, JsonObject, RecordSource } from '../src/index.ts';

const times = { createdAt: '2026-11-21T08:00:00.000Z', updatedAt: '2026-11-22T08:00:00.000Z' };

function matches(
  filter: Filter | undefined,
  metadata: JsonObject,
  more: { createdAt?: string; expiresAt?: string; source?: RecordSource } = {},
): boolean {
  return matchesFilter(parseFilter(filter), { metadata, ...times, ...more });
}

const refused = (field: string, problem: string) => memoryError('INVALID_ARGUMENT', `filter.${field} ${problem}.`);

describe('a filter', () => {
  it('matches everything if it is empty', () => {
    expect(matches(undefined, {})).toBe(true);
    expect(matches({}, { a: 1 })).toBe(true);
    expect(parseFilter(undefined)).toEqual([]);
  });

  it('matches only values of the same type', () => {
    expect(matches({ a: 'x' }, { a: 'x' })).toBe(true);
    expect(matches({ a: 'x' }, { a: 'X' })).toBe(false);
    expect(matches({ a: 1 }, { a: 1 })).toBe(true);
    expect(matches({ a: 1 }, { a: '1' })).toBe(false);
    expect(matches({ a: 0 }, { a: false })).toBe(false);
    expect(matches({ a: -0 }, { a: 0 })).toBe(true);
    expect(matches({ a: true }, { a: true })).toBe(true);
    expect(matches({ a: null }, { a: null })).toBe(true);
    expect(matches({ a: null }, {})).toBe(false);
    expect(matches({ a: 'x' }, {})).toBe(false);
  });

  it('requires all fields and all operators to match', () => {
    expect(matches({ a: 1, b: 2 }, { a: 1, b: 2 })).toBe(true);
    expect(matches({ a: 1, b: 2 }, { a: 1, b: 3 })).toBe(false);
    expect(matches({ a: { gt: 1, lt: 3 } }, { a: 2 })).toBe(true);
    expect(matches({ a: { gt: 1, lt: 3 } }, { a: 3 })).toBe(false);
    expect(matches({ a: { in: [1, 2], exists: false } }, { a: 1 })).toBe(false);
  });

  it('in: matches any of several values', () => {
    expect(matches({ a: { in: ['x', null, 2] } }, { a: 'x' })).toBe(true);
    expect(matches({ a: { in: ['x', null, 2] } }, { a: null })).toBe(true);
    expect(matches({ a: { in: ['x', null, 2] } }, { a: '2' })).toBe(false);
    expect(matches({ a: { in: ['x', null, 2] } }, {})).toBe(false);
    expect(matches({ a: { in: [] } }, { a: 'x' })).toBe(false);
  });

  it.each([
    ['gt', [false, false, true]],
    ['gte', [false, true, true]],
    ['lt', [true, false, false]],
    ['lte', [true, true, false]],
  ] as const)('%s: compares numbers with numbers and strings with strings', (operator, expected) => {
    expect([1, 2, 3].map((a) => matches({ a: { [operator]: 2 } }, { a }))).toEqual(expected);
    expect(['a', 'b', 'c'].map((a) => matches({ a: { [operator]: 'b' } }, { a }))).toEqual(expected);
    // Other types are outside every range.
    for (const a of ['2', true, null, [2], { gt: 2 }]) expect(matches({ a: { [operator]: 2 } }, { a })).toBe(false);
    for (const a of [2, false, null, ['b'], {}]) expect(matches({ a: { [operator]: 'b' } }, { a })).toBe(false);
    expect(matches({ a: { [operator]: 2 } }, {})).toBe(false);
  });

  it('exists: tests whether the field is present', () => {
    expect(matches({ a: { exists: true } }, { a: null })).toBe(true);
    expect(matches({ a: { exists: true } }, { a: [] })).toBe(true);
    expect(matches({ a: { exists: true } }, {})).toBe(false);
    expect(matches({ a: { exists: false } }, {})).toBe(true);
    expect(matches({ a: { exists: false } }, { a: null })).toBe(false);
  });

  it('ne: matches every other value and missing fields', () => {
    expect(matches({ a: { ne: 'x' } }, { a: 'x' })).toBe(false);
    expect(matches({ a: { ne: 0 } }, { a: -0 })).toBe(false);
    for (const a of ['X', 1, true, null, ['x'], {}]) expect(matches({ a: { ne: 'x' } }, { a })).toBe(true);
    expect(matches({ a: { ne: 'x' } }, {})).toBe(true);
    expect(matches({ a: { ne: null } }, {})).toBe(true);
    expect(matches({ a: { ne: null } }, { a: null })).toBe(false);
    expect(matches({ a: { ne: 'x', exists: true } }, {})).toBe(false);
  });

  it('matches lists and objects only with exists and ne', () => {
    for (const a of [['x'], { x: 1 }]) {
      expect(matches({ a: { exists: true } }, { a })).toBe(true);
      expect(matches({ a: { ne: 'x' } }, { a })).toBe(true);
      expect(matches({ a: 'x' }, { a })).toBe(false);
      expect(matches({ a: { in: ['x', 1] } }, { a })).toBe(false);
    }
  });

  it('takes field names literally', () => {
    expect(matches({ 'a.b': 1 }, { a: { b: 1 } })).toBe(false);
    expect(matches({ 'a.b': 1 }, { 'a.b': 1 })).toBe(true);
    expect(matches({ '*': { exists: true } }, { a: 1 })).toBe(false);
    expect(matches({ '': 1 }, { '': 1 })).toBe(true);
  });

  it('sees own fields only, never inherited ones', () => {
    for (const field of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      const own = JSON.parse(`{${JSON.stringify(field)}:1}`) as JsonObject;
      const is = (condition: unknown) => Object.fromEntries([[field, condition]]) as Filter;
      expect(matches(is({ exists: true }), {}), field).toBe(false);
      expect(matches(is({ exists: false }), {}), field).toBe(true);
      expect(matches(is({ exists: true }), own), field).toBe(true);
      expect(matches(is(1), own), field).toBe(true);
      expect(matches(is(2), own), field).toBe(false);
    }
  });
});

describe('times in a filter', () => {
  it.each([
    ['2026-11-21T08:00:00Z', true],
    ['2026-11-21T08:00:00.000Z', true],
    ['2026-11-21T09:00:00+01:00', true],
    ['2026-11-20T20:15:00-11:45', true],
    ['2026-11-21T08:00:00.001Z', false],
  ])('createdAt is %s: %s', (createdAt, expected) => {
    expect(matches({ createdAt }, {})).toBe(expected);
    expect(matches({ createdAt: { in: ['2020-01-01T00:00:00Z', createdAt] } }, {})).toBe(expected);
  });

  it.each([
    ['2026-11-20', 1],
    ['2026-11-21', 0],
    ['2026-11-22', -1],
    ['2026-10', 1],
    ['2026-11', 0],
    ['2026-12', -1],
  ])('compare with all of a day or month: %s', (period, order) => {
    const edges = { '2026-11': ['01T00:00:00.000Z', '30T23:59:59.999Z'] }[period] ?? [];
    const moments = ['2026-11-21T00:00:00.000Z', '2026-11-21T23:59:59.999Z', ...edges.map((edge) => `2026-11-${edge}`)];
    for (const createdAt of moments) {
      const holds = (condition: Filter[string]) => matches({ createdAt: condition }, {}, { createdAt });
      expect(holds(period)).toBe(order === 0);
      expect(holds({ gt: period })).toBe(order > 0);
      expect(holds({ gte: period })).toBe(order >= 0);
      expect(holds({ lt: period })).toBe(order < 0);
      expect(holds({ lte: period })).toBe(order <= 0);
    }
    for (const createdAt of [{ in: [period] }, { ne: period }]) {
      expect(() => matches({ createdAt }, {})).toThrow(
        refused('createdAt', 'has an operator that takes a date and time. Use gte and lte for a whole day or month'),
      );
    }
  });

  it('compare with the last day that records can have', () => {
    const createdAt = '9999-12-31T23:59:59.999Z';
    expect(matches({ createdAt: '9999-12-31' }, {}, { createdAt })).toBe(true);
    expect(matches({ createdAt: { gt: '9999-12' } }, {}, { createdAt })).toBe(false);
  });

  it('are compared as moments, regardless of time zone', () => {
    expect(matches({ createdAt: { gte: '2026-11-21', lt: '2026-11-22' } }, {})).toBe(true);
    expect(matches({ createdAt: { gt: '2026-11-21T08:30:00+01:00' } }, {})).toBe(true);
    expect(matches({ createdAt: { gt: '2026-11-21T09:30:00+01:00' } }, {})).toBe(false);
    expect(matches({ createdAt: { gte: '2026-11' } }, {})).toBe(true);
    expect(matches({ updatedAt: { gt: '2026-11-21T08:00:00Z' } }, {})).toBe(true);
  });

  it('come from the record, not from its metadata', () => {
    expect(matches({ createdAt: '2020-01-01' }, { createdAt: '2020-01-01' })).toBe(false);
    expect(matches({ expiresAt: { exists: true } }, { expiresAt: 'never' })).toBe(false);
    expect(matches({ expiresAt: { exists: true } }, {}, { expiresAt: times.updatedAt })).toBe(true);
    expect(matches({ expiresAt: { lt: '2030-01-01' } }, {})).toBe(false);
    // Any other name is metadata, even if it sounds like a time.
    expect(matches({ happenedAt: { gt: '5 o’clock' } }, { happenedAt: '6 o’clock' })).toBe(true);
  });

  it('are normalised to the format of records', () => {
    expect(parseFilter({ createdAt: { gte: '2026-11-21T09:00+01:00' }, topic: 'x' })).toEqual([
      { part: 'time', field: 'createdAt', operator: 'gte', value: '2026-11-21T08:00:00.000Z', not: false },
      { part: 'metadata', field: 'topic', operator: 'in', value: ['x'], not: false },
    ]);
  });

  it.each(['yesterday', '2026', '2026-11-21T08:00:00', '2026-02-30', '2026-13-01', 1_763_712_000_000, null, true])(
    'are refused if invalid: %s',
    (time) => {
      const noTime = "must be ISO 8601, such as '2026-11-21' or '2026-11-21T08:00:00Z'";
      for (const field of ['createdAt', 'updatedAt', 'expiresAt']) {
        expect(() => parseFilter({ [field]: time })).toThrow(refused(field, noTime));
        expect(() => parseFilter({ [field]: { in: ['2026-11-21T08:00:00Z', time] } })).toThrow(refused(field, noTime));
      }
    },
  );
});

describe('the source in a filter', () => {
  const source = { conversation: 'c', kind: 'fact' } as const;

  it('comes from the record, not from a metadata field of the same name', () => {
    expect(matches({ 'source.kind': 'fact' }, {}, { source })).toBe(true);
    expect(matches({ 'source.kind': 'fact' }, { 'source.kind': 'fact', source: { kind: 'fact' } })).toBe(false);
    expect(matches({ source: 'web' }, { source: 'web' }, { source })).toBe(true);
    // Any other name is metadata, even with the same prefix.
    expect(matches({ 'source.url': 'x' }, { 'source.url': 'x' }, { source })).toBe(true);
  });

  it('can be missing, completely or partly', () => {
    for (const more of [{}, { source }]) {
      expect(matches({ 'source.run': { exists: false } }, {}, more)).toBe(true);
      expect(matches({ 'source.run': { ne: 'r' } }, {}, more)).toBe(true);
      expect(matches({ 'source.run': 'r' }, {}, more)).toBe(false);
      expect(matches({ 'source.run': { gte: '' } }, {}, more)).toBe(false);
    }
  });

  it('becomes a rule with the name of its field', () => {
    expect(parseFilter({ 'source.run': { ne: 'r' } })).toEqual([
      { part: 'source', field: 'run', operator: 'in', value: ['r'], not: true },
    ]);
  });

  it.each([null, 1, true])('cannot be compared with %s', (value) => {
    const problem = "must be a string; use exists for 'none'";
    expect(() => parseFilter({ 'source.run': value })).toThrow(refused('source.run', problem));
    expect(() => parseFilter({ 'source.run': { ne: value } })).toThrow(refused('source.run', problem));
  });
});

describe('parseFilter refuses', () => {
  it.each([
    ['no operator', {}, 'must be a value or use only the operators in, ne, gt, gte, lt, lte, exists'],
    ['a list', ['x'], 'must be a value or use only the operators in, ne, gt, gte, lt, lte, exists'],
    [
      'an operator of another query language',
      { $ne: 1 },
      'must be a value or use only the operators in, ne, gt, gte, lt, lte, exists',
    ],
    ['an unknown operator', { is: 1 }, 'must be a value or use only the operators in, ne, gt, gte, lt, lte, exists'],
    [
      'an inherited property as an operator',
      { toString: 1 },
      'must be a value or use only the operators in, ne, gt, gte, lt, lte, exists',
    ],
    ['in without a list', { in: 'x' }, "has an 'in' that is not a list"],
    ['an object in a list', { in: [{}] }, 'compares with a list or an object'],
    ['lte of a boolean', { lte: true }, "has a 'lte' that is not a string or number"],
    ['ne of a list', { ne: ['x'] }, 'compares with a list or an object'],
    ['exists of 1', { exists: 1 }, "has an 'exists' that is not true or false"],
  ])('%s', (_name, condition, problem) => {
    expect(() => parseFilter({ ok: 1, user: condition } as unknown as Filter)).toThrow(refused('<field 2>', problem));
  });

  it.each([
    ['undefined', undefined, ' is undefined'],
    ['NaN', Number.NaN, ' is NaN'],
    ['a BigInt', 1n, ' is a bigint'],
    ['a function', () => true, ' is a function'],
    ['a Date', new Date(0), ' is a Date'],
    ['in of undefined', { in: undefined }, '.in is undefined'],
    ['undefined in a list', { in: ['x', undefined] }, '.in[1] is undefined'],
    ['a hole in a list', { in: new Array(1) }, '.in[0] is a hole in a sparse array'],
    ['gt of undefined', { gt: undefined }, '.gt is undefined'],
    ['gte of Infinity', { gte: Number.POSITIVE_INFINITY }, '.gte is Infinity'],
    ['ne of undefined', { ne: undefined }, '.ne is undefined'],
    ['exists of undefined', { exists: undefined }, '.exists is undefined'],
    ['a field named by a symbol', { [Symbol('in')]: ['x'] }, ' is an object with hidden fields'],
    ['a hidden field', Object.defineProperty({ exists: true }, 'in', { value: ['x'] }), ' is an object with hidden'],
  ])('%s, which JSON can not hold', (_name, condition, problem) => {
    expect(() => parseFilter({ ok: 1, user: condition } as unknown as Filter)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(`filter.<field 2>${problem}`),
      }),
    );
  });

  it.each([
    ['null', null],
    ['a string', 'user = 1'],
    ['a list', [{ user: 'alice' }]],
  ])('%s as a filter', (_name, filter) => {
    expect(() => parseFilter(filter as unknown as Filter)).toThrow(
      memoryError('INVALID_ARGUMENT', "filter must be an object, such as { topic: 'travel' }."),
    );
  });

  it.each([
    // These have no fields, so they would match everything.
    ['a Map', new Map([['u', 'alice']]), /^filter is a Map/],
    [
      'an object with a hidden field',
      Object.defineProperty({}, 'user', { value: 'alice' }),
      /^filter is an object with hid/,
    ],
    ['an object with a symbol', { [Symbol('user')]: 'alice' }, /^filter is an object with hidden fields/],
  ])('%s as a filter', (_name, filter, message) => {
    expect(() => parseFilter(filter as unknown as Filter)).toThrow(memoryError('INVALID_ARGUMENT', message));
  });
});

describe('the order of strings', () => {
  const wellFormed = fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '😀', '😁', '\u{10ffff}'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 4,
  });

  function order(a: string, b: string): number {
    if (matches({ a: { gt: b } }, { a })) return 1;
    return matches({ a: { lt: b } }, { a }) ? -1 : 0;
  }

  it('is by code point, like that of UTF-8', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (a, b) => {
        expect(order(a, b)).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
        expect(matches({ a: { gte: b } }, { a })).toBe(order(a, b) >= 0);
        expect(matches({ a: { lte: b } }, { a })).toBe(order(a, b) <= 0);
      }),
      { numRuns: 2_000 },
    );
    expect(order('\uffff', '😀')).toBe(-1);
    expect(order('x😀', 'x😁')).toBe(-1);
  });

  it('is total, even with lone surrogates', () => {
    const anything = fc.string({
      unit: fc.constantFrom('a', '\ud83d', '\ude00', '\ude01', '\ue000', '😀'),
      maxLength: 4,
    });
    const codePoints = (text: string) => Array.from(text, (character) => character.codePointAt(0) as number);
    fc.assert(
      fc.property(anything, anything, (a, b) => {
        expect(order(a, b)).toBe(compareLists(codePoints(a), codePoints(b)));
      }),
      { numRuns: 2_000 },
    );
  });
});

function compareLists(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((number, i) => number !== b[i]);
  if (index === -1) return a.length === b.length ? 0 : -1;
  return Math.sign((a[index] as number) - (b[index] ?? -1));
}
