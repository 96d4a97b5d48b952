import type { FilterRule } from '@keepsake/core/adapter';
import { describe, expect, it } from 'vitest';
import { Values } from '../src/database/statement.ts';
import { writeRules } from '../src/search/filter-fields.ts';

describe.each(['postgresql', 'sqlite'] as const)('A filter rule on %s', (dialect) => {
  it.each(['createdAt', 'topic'])('with an unknown operator for %s is an error', (field) => {
    for (const operator of ['like', 'constructor', '__proto__', '']) {
      const part = field === 'createdAt' ? 'time' : 'metadata';
      const rule = { part, field, not: false, operator, value: '2026-01-01' } as unknown as FilterRule;
      const write = () => writeRules(dialect, [rule], new Values(dialect));
      expect(write, operator).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
    }
  });
});
