import { isMemoryError } from '@keepsake/core';
import { type FilterRule, prepareRecord } from '@keepsake/core/adapter';
import { describe, expect, it } from 'vitest';
import { LIST } from '../src/lua/records/read-records.ts';
import { PASSING } from '../src/lua/search/search.ts';
import { searchRecords } from '../src/search/search-records.ts';
import { writeRules } from '../src/stores/filter-rules.ts';
import { Records } from '../src/stores/records.ts';
import { Registry } from '../src/stores/registry.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

/** A new namespace with one record, or with none. */
async function openRecords(isFilled: boolean): Promise<Records> {
  const { client } = shared;
  const prefix = freshPrefix();
  const registry = new Registry(client, prefix);
  const options = { client, prefix, namespace: [], registry, language: undefined, embedder: undefined, indexed: [] };
  const records = new Records(options);
  if (isFilled) await records.put([{ ...prepareRecord({ content: 'tea', metadata: { rank: 1 } }), id: 'x' }]);
  return records;
}

const known: FilterRule = { part: 'metadata', field: 'rank', not: false, operator: 'in', value: [2] };
/** As a newer core would write it. */
const unknown = { ...known, operator: 'near', value: 1 } as unknown as FilterRule;

const calls: [string, (records: Records, rules: readonly FilterRule[]) => Promise<unknown>][] = [
  ['LIST', (records, rules) => records.run(LIST, ['newest', '', '', 100, 10, writeRules(rules), '', 0])],
  ['PASSING', (records, rules) => records.run(PASSING, [writeRules(rules), 10, Buffer.alloc(4)])],
  [
    'SEARCH',
    (records, rules) => searchRecords(records, { query: 'tea', limit: 10, rules, minScore: -Infinity, explain: false }),
  ],
];

describe.each(calls)('%s with a filter operator that the script does not know', (_, send) => {
  it.each([
    ['a namespace with a record', true],
    ['an empty namespace', false],
  ])('fails in %s and names the operator, even after a rule that no record passes', async (_, isFilled) => {
    const records = await openRecords(isFilled);
    for (const rules of [[unknown], [known, unknown]]) {
      const failure = await send(records, rules).catch((error: unknown) => error);
      expect(isMemoryError(failure, 'BACKEND'), String(failure)).toBe(true);
      expect(String((failure as Error).cause)).toContain('unknown filter operator "near"');
    }
    expect(await send(records, [known])).toBeDefined();
  });
});
