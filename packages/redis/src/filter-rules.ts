import type { FilterRule } from '@keepsake/core';

/** A checked filter for scripts: times are milliseconds since 1970. '' where everything passes. */
export function writeRules(rules: readonly FilterRule[]): string {
  return rules.length === 0 ? '' : JSON.stringify(rules.map(inMilliseconds));
}

function inMilliseconds(rule: FilterRule): object {
  if (!rule.time || rule.operator === 'exists') return rule;
  const { value } = rule;
  return { ...rule, value: Array.isArray(value) ? value.map(toTime) : toTime(value) };
}

function toTime(value: unknown): number {
  return Date.parse(String(value));
}
