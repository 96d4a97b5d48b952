import { type FilterRule, type FilterValue, MemoryError } from '@keepsake/core';
import { isOwn, OWN } from './attributes.ts';
import type { AttributeFilter } from './openai-client.ts';

/**
 * The filter of a search: the scope and every rule must hold. The scope always stands there, at the top, whatever the
 * rules are. `undefined` where nothing can pass.
 *
 * @throws MemoryError `UNSUPPORTED` for rules that the API has no filter for.
 */
export function scopeFilter(scope: string, rules: readonly FilterRule[]): AttributeFilter | undefined {
  const filters: AttributeFilter[] = [{ type: 'eq', key: OWN.namespace, value: scope }];
  for (const rule of rules) {
    const filter = ruleFilter(rule);
    if (filter === undefined) return undefined;
    filters.push(filter);
  }
  return { type: 'and', filters };
}

/** The filter of one memory in a scope. */
export function idFilter(scope: string, id: string): AttributeFilter {
  return {
    type: 'and',
    filters: [
      { type: 'eq', key: OWN.namespace, value: scope },
      { type: 'eq', key: OWN.id, value: id },
    ],
  };
}

function ruleFilter(rule: FilterRule): AttributeFilter | undefined {
  if (rule.time) return timeFilter(rule);
  const { field: key } = rule;
  if (isOwn(key)) throw new MemoryError('INVALID_ARGUMENT', 'A filter can not name fields that begin with keepsake_.');
  switch (rule.operator) {
    case 'eq':
      return equals(key, rule.value);
    case 'in':
      return anyOf(key, rule.value);
    case 'exists':
      throw unsupported("'exists'");
    default:
      if (typeof rule.value === 'string') throw unsupported('an order of texts');
      return { type: rule.operator, key, value: rule.value };
  }
}

function equals(key: string, value: FilterValue): AttributeFilter {
  if (value === null) throw unsupported('null');
  return { type: 'eq', key, value };
}

/** The API's `in` knows no booleans. */
function anyOf(key: string, values: readonly FilterValue[]): AttributeFilter | undefined {
  const [first, ...rest] = values.map((value) => equals(key, value));
  if (first === undefined) return undefined;
  return rest.length === 0 ? first : { type: 'or', filters: [first, ...rest] };
}

/** The times of a record that are kept: that of its creation, as a number. */
function timeFilter(rule: FilterRule): AttributeFilter | undefined {
  if (rule.field !== 'createdAt') throw unsupported(`'${rule.field}'`);
  if (rule.operator === 'exists') return rule.value ? { type: 'gte', key: OWN.createdAt, value: 0 } : undefined;
  if (rule.operator === 'in') return anyOf(OWN.createdAt, rule.value.map(toMilliseconds));
  return { type: rule.operator, key: OWN.createdAt, value: toMilliseconds(rule.value) };
}

function toMilliseconds(time: FilterValue): number {
  return Date.parse(String(time));
}

function unsupported(what: string): MemoryError {
  return new MemoryError(
    'UNSUPPORTED',
    `Filters of an OpenAI vector store know no ${what}. Use values, in, and numbers.`,
  );
}
