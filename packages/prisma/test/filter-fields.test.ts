import { isMemoryError } from '@keepsake/core';
import { type FilterRule, parseFilter } from '@keepsake/core/adapter';
import { describe, expect, it } from 'vitest';
import { Values } from '../src/database/statement.ts';
import { writeFields, writeRules } from '../src/search/filter-fields.ts';

describe('writeFields', () => {
  it('keeps the fields of the source apart from metadata of any name', () => {
    const metadata = { kind: 'a', 'source.kind': 'b', '\ufefekind': 'c', source_kind: 'd' };
    const fields = Object.entries(JSON.parse(writeFields(metadata, { kind: 'fact' })));
    expect(fields).toHaveLength(5);
    expect(fields).toContainEqual(['\ufefekind', 'sfact']);
  });

  it('writes records without a source in the format from before sources existed', () => {
    expect(writeFields({ a: 1, b: [1], c: null })).toBe('{"a":"n1","b":"o","c":"z"}');
  });
});

describe.each(['postgresql', 'sqlite'] as const)('writeRules for %s', (dialect) => {
  it('rejects an unknown operator, even after a rule with a known one', () => {
    const [known] = parseFilter({ rank: 2, createdAt: { gt: '2026-11-21' } }) as [FilterRule];
    for (const part of ['metadata', 'time', 'source']) {
      const unknown = { part, field: 'createdAt', operator: 'near', value: 1, not: false } as unknown as FilterRule;
      const refusal = catchError(() => writeRules(dialect, [known, unknown], new Values(dialect)));
      expect(isMemoryError(refusal, 'UNSUPPORTED'), String(refusal)).toBe(true);
      expect(String(refusal)).toContain('near');
    }
  });

  it('writes the same SQL for any number of values', () => {
    const sqlOf = (...values: string[]) => {
      const rules = parseFilter({ user: { in: values } });
      return writeRules(dialect, rules, new Values(dialect));
    };
    expect(sqlOf('a', 'b')).toBe(sqlOf('a', 'b', 'c'));
    expect(sqlOf()).toBe(sqlOf('a', 'b'));
  });
});

function catchError(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
