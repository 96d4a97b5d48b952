import type { FilterRule } from '@keepsake/core/adapter';

/** A checked filter for `read_rules` in Lua, with times in milliseconds since 1970. '' if it has no rules. */
export function writeRules(rules: readonly FilterRule[]): string {
  return rules.length === 0 ? '' : JSON.stringify(rules.map(inMilliseconds));
}

function inMilliseconds(rule: FilterRule): object {
  if (rule.part !== 'time' || rule.operator === 'exists') return rule;
  const { value } = rule;
  return { ...rule, value: Array.isArray(value) ? value.map(toMilliseconds) : toMilliseconds(value) };
}

function toMilliseconds(value: unknown): number {
  return Date.parse(String(value));
}
