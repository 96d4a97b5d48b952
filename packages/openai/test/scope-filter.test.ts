import { type Filter, formatNamespace, isMemoryError, type Namespace } from '@keepsake/core';
import { parseFilter } from '@keepsake/core/adapter';
import { type AttributeFilter, passes } from '@keepsake/emulators';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWN, scopeOf } from '../src/stores/attributes.ts';
import { idFilter, scopeFilter } from '../src/stores/scope-filter.ts';

const segment = fc.string({ unit: fc.constantFrom(...':*?[]\\%_./{} aAbé~"\''), minLength: 1, maxLength: 6 });
const namespace: fc.Arbitrary<Namespace> = fc.array(segment, { minLength: 1, maxLength: 4 });

/** Two namespaces that are easily confused: equal when joined, one inside the other, or different by one character. */
const pair = fc.oneof(
  fc.tuple(namespace, namespace),
  fc.tuple(namespace, segment).map(([one, last]) => [one, [...one, last]] as const),
  fc.tuple(segment, segment).map(([a, b]) => [[a, b], [`${a}:${b}`]] as const),
  fc.tuple(segment, segment).map(([a, b]) => [[a, b], [a + b]] as const),
);

/** Filters of a caller besides the scope. Some are refused. */
const rules: fc.Arbitrary<Filter> = fc.dictionary(
  fc.constantFrom('topic', 'rank', 'or', 'createdAt', '$or', 'keepsake', '__proto__'),
  fc.oneof(
    fc.constantFrom<Filter[string]>('a', 1, true, '2026-01-01', { in: ['a', 1, false] }, { in: [] }),
    fc.record({ gte: fc.integer() }),
  ),
  { maxKeys: 3 },
);

const PAIRS = rounds(10_000, 2_000);

describe('the scope', () => {
  it(`matches nothing of another namespace, in ${PAIRS} pairs with any filter besides`, () => {
    let crossings = 0;
    let pairs = 0;
    fc.assert(
      fc.property(pair, rules, ([one, other], filter) => {
        if (formatNamespace(one) === formatNamespace(other)) return;
        pairs++;
        const attributes = {
          topic: 'a',
          rank: 1,
          [OWN.namespace]: scopeOf(other),
          [OWN.id]: 'content-1',
          [OWN.createdAt]: 0,
        };
        const filters = [filterOf(scopeOf(one), filter), idFilter(scopeOf(one), 'content-1')];
        if (filters.some((built) => built !== undefined && passes(built as AttributeFilter, attributes))) crossings++;
      }),
      { numRuns: PAIRS + PAIRS / 10 },
    );
    expect(pairs).toBeGreaterThan(PAIRS);
    expect(crossings).toBe(0);
  });

  it('matches memories of its own namespace', () => {
    fc.assert(
      fc.property(namespace, (place) => {
        const attributes = { topic: 'a', [OWN.namespace]: scopeOf(place), [OWN.id]: 'content-1' };
        expect(passes(filterOf(scopeOf(place), { topic: 'a' }) as AttributeFilter, attributes)).toBe(true);
        expect(passes(idFilter(scopeOf(place), 'content-1') as AttributeFilter, attributes)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The filter, or `undefined` if it is refused or nothing can match. */
function filterOf(scope: string, filter: Filter) {
  try {
    return scopeFilter(scope, parseFilter(filter));
  } catch (error) {
    if (isMemoryError(error, 'UNSUPPORTED') || isMemoryError(error, 'INVALID_ARGUMENT')) return undefined;
    throw error;
  }
}

describe('a rule', () => {
  const scoped = (...filters: object[]) => ({
    type: 'and',
    filters: [{ type: 'eq', key: OWN.namespace, value: 'u:alice' }, ...filters],
  });

  it.each<[Filter, object]>([
    [{}, scoped()],
    [{ topic: 'a' }, scoped({ type: 'eq', key: 'topic', value: 'a' })],
    [
      { done: false, rank: 3 },
      scoped({ type: 'eq', key: 'done', value: false }, { type: 'eq', key: 'rank', value: 3 }),
    ],
    [
      { rank: { gte: 1, lt: 5 } },
      scoped({ type: 'gte', key: 'rank', value: 1 }, { type: 'lt', key: 'rank', value: 5 }),
    ],
    [{ topic: { in: ['a'] } }, scoped({ type: 'eq', key: 'topic', value: 'a' })],
    [
      { topic: { in: ['a', true] } },
      scoped({
        type: 'or',
        filters: [
          { type: 'eq', key: 'topic', value: 'a' },
          { type: 'eq', key: 'topic', value: true },
        ],
      }),
    ],
    [
      { createdAt: { gt: '2026-01-01T00:00:00Z' } },
      scoped({ type: 'gt', key: OWN.createdAt, value: Date.UTC(2026, 0, 1) }),
    ],
    [{ createdAt: { exists: true } }, scoped({ type: 'gte', key: OWN.createdAt, value: 0 })],
  ])('%j becomes a condition besides the scope', (filter, expected) => {
    expect(scopeFilter('u:alice', parseFilter(filter))).toEqual(expected);
  });

  it.each<Filter>([{ topic: { in: [] } }, { createdAt: { exists: false } }])('%j matches nothing', (filter) => {
    expect(scopeFilter('u:alice', parseFilter(filter))).toBe(undefined);
  });

  it.each<[Filter, string]>([
    [{ topic: { exists: true } }, 'UNSUPPORTED'],
    [{ topic: null }, 'UNSUPPORTED'],
    [{ topic: { in: ['a', null] } }, 'UNSUPPORTED'],
    [{ topic: { gt: 'a' } }, 'UNSUPPORTED'],
    [{ topic: { ne: 'a' } }, 'UNSUPPORTED'],
    [{ createdAt: { ne: '2026-01-01T00:00:00Z' } }, 'UNSUPPORTED'],
    [{ 'source.kind': 'fact' }, 'UNSUPPORTED'],
    [{ updatedAt: { gt: '2026-01-01' } }, 'UNSUPPORTED'],
    [{ [OWN.namespace]: 'u:bob' }, 'INVALID_ARGUMENT'],
    [{ [OWN.id]: { in: ['content-1'] } }, 'INVALID_ARGUMENT'],
  ])('%j is refused', (filter, code) => {
    expect(() => scopeFilter('u:alice', parseFilter(filter))).toThrow(expect.objectContaining({ code }));
  });
});
