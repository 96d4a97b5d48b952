import assert from 'node:assert/strict';
import type { Filter, JsonObject } from '@keepsake/core';
import { fill, passing } from './filters.ts';
import { onlyWhere, type RecordStoreCases, refuses, SECRET } from './helpers.ts';

/** Field names that are paths, operators, quotes or patterns to one backend or another. */
const NAMES: readonly string[] = [
  '',
  ' ',
  'a.b',
  'a[0]',
  '$.a',
  '$ne',
  '$where',
  '*',
  '%',
  'a%',
  "a'b",
  'a"b',
  "x' OR '1'='1",
  'a") = 1 OR ("1',
  "a'; DROP TABLE records; --",
  '@a:{b}',
  'a b',
  'a:b',
  '{}',
  'null',
  'id',
  'content',
  'version',
  'turn',
  'metadata',
  'metadata.a',
  'namespace',
  'score',
  'é',
  'e\u0301',
  '💡',
  '\u2028',
];

const VALUES: readonly string[] = [
  '*',
  '%',
  '_',
  'a*',
  'a%',
  'A',
  'a',
  ' a',
  'a ',
  "' OR '1'='1",
  "'; DROP TABLE records; --",
  '"',
  '\\',
  '{"$ne": null}',
  '[1]',
  'null',
  'true',
  '1',
  '}{',
  'a|b',
  'a, b',
  '\n',
  'é',
  'e\u0301',
  '💡',
  '\u2028',
  '\ufeff',
];

const badFilters: readonly unknown[] = [
  null,
  [],
  'user',
  7,
  new Map([['user', 'Ada']]),
  { user: undefined },
  { user: {} },
  { user: [] },
  { user: ['Ada'] },
  { user: Number.NaN },
  { user: Number.POSITIVE_INFINITY },
  { user: 1n },
  { user: () => true },
  { user: new Date() },
  { user: { eq: 'Ada' } },
  { user: { $ne: SECRET } },
  { user: { not: SECRET } },
  { user: { contains: 'A' } },
  { user: { in: 'Ada' } },
  { user: { in: undefined } },
  { user: { in: [undefined] } },
  { user: { in: [['Ada']] } },
  { user: { in: [{ $ne: SECRET }] } },
  { user: { gt: null } },
  { user: { gt: undefined } },
  { user: { gte: true } },
  { user: { lt: ['a'] } },
  { user: { lte: Number.NaN } },
  { user: { exists: 1 } },
  { user: { ne: undefined } },
  { user: { ne: ['Ada'] } },
  { user: { ne: { in: ['Ada'] } } },
  { user: { neq: 'Ada' } },
  { user: { exists: undefined } },
  { user: { exists: true, like: 'A%' } },
  { user: 'Ada', other: undefined },
  { createdAt: 7 },
  { createdAt: 'yesterday' },
  { createdAt: { gt: '2026-13-01' } },
  { updatedAt: null },
  { expiresAt: { in: ['soon'] } },
];

function named(name: string, value: string): JsonObject {
  return Object.fromEntries([[name, value]]);
}

export const literalFilters: RecordStoreCases = {
  concern: 'Filters are literal',
  cases: onlyWhere(
    ({ filter }) => filter,
    [
      {
        title: 'a field name is literal, never a path, operator, quote or pattern',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, Object.fromEntries(NAMES.map((name, index) => [`record ${index}`, named(name, 'x')])));
          await fill(store, { nested: { a: { b: 'x' } }, list: { a: ['x'] } });
          for (const [index, name] of NAMES.entries()) {
            assert.deepEqual(await passing(store, capabilities, named(name, 'x') as Filter), [`record ${index}`], name);
            assert.deepEqual(await passing(store, capabilities, named(name, 'y') as Filter), [], name);
          }
        },
      },
      {
        title: 'a value is literal, without patterns, queries or folding of case and form',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, Object.fromEntries(VALUES.map((v, index) => [`record ${index}`, { v }])));
          for (const [index, v] of VALUES.entries()) {
            assert.deepEqual(await passing(store, capabilities, { v }), [`record ${index}`], v);
            assert.deepEqual(await passing(store, capabilities, { v: { in: [v] } }), [`record ${index}`], v);
          }
        },
      },
      {
        title: 'a value with NUL or a lone surrogate matches only itself',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { nul: { v: 'a\0b' }, cut: { v: 'a' }, lone: { v: '\ud800' }, other: { v: '\ufffd' } });
          assert.deepEqual(await passing(store, capabilities, { v: 'a\0b' }), ['nul']);
          assert.deepEqual(await passing(store, capabilities, { v: 'a' }), ['cut']);
          assert.deepEqual(await passing(store, capabilities, { v: '\ud800' }), ['lone']);
          assert.deepEqual(await passing(store, capabilities, { v: '\ufffd' }), ['other']);
        },
      },
      {
        title: 'names of built-in object fields are ordinary names: no record has one unless it was stored',
        async run(harness, capabilities) {
          const store = harness.open();
          const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
          await fill(store, { plain: {} });
          await fill(store, Object.fromEntries(names.map((name) => [`with ${name}`, named(name, 'x')])));
          for (const name of names) {
            const own = Object.fromEntries([[name, { exists: true }]]);
            assert.deepEqual(await passing(store, capabilities, own), [`with ${name}`]);
            assert.deepEqual(await passing(store, capabilities, named(name, 'x') as Filter), [`with ${name}`]);
          }
        },
      },
      {
        title: 'an invalid filter is refused: undefined, unknown operators, other types',
        async run(harness, capabilities) {
          const store = harness.open();
          await fill(store, { a: { user: 'Ada' } });
          for (const bad of badFilters) {
            const filter = bad as Filter;
            await refuses('INVALID_ARGUMENT', () => store.search('heron', { filter }));
            if (capabilities.enumerate) await refuses('INVALID_ARGUMENT', () => store.list({ filter }));
          }
        },
      },
      {
        title: "a filter can't lead out of the namespace",
        async run(harness, capabilities) {
          const store = harness.open({ namespace: ['here'] });
          await fill(store, { mine: { v: 1 } });
          await fill(harness.open({ namespace: ['there'] }), { theirs: { v: 1, namespace: 'here' } });
          await fill(harness.open(), { above: { v: 1 } });
          const ways: Filter[] = [{}, { v: 1 }, { v: { exists: true } }, { namespace: { exists: false } }];
          for (const filter of ways) assert.deepEqual(await passing(store, capabilities, filter), ['mine']);
          for (const filter of [{ namespace: 'there' }, { namespace: { exists: true } }, { scope: 'there' }]) {
            assert.deepEqual(await passing(store, capabilities, filter), []);
          }
        },
      },
    ],
  ),
};
