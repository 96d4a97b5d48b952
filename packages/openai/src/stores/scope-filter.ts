import { type FilterValue, MemoryError } from '@keepsake/core';
import type { FilterRule } from '@keepsake/core/adapter';
import type { AttributeFilter } from '../api/openai-client.ts';
import { isOwn, OWN } from './attributes.ts';

/**
 * The filter of a search: the scope AND every rule. The scope is always a top-level condition, whatever the rules are.
 * `undefined` if nothing can match.
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

/** The filter for one memory in a scope. */
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
  if (rule.part === 'time') return timeFilter(rule);
  if (rule.part === 'source') throw unsupported(`'source.${rule.field}'`);
  const { field: key } = rule;
  if (isOwn(key)) throw new MemoryError('INVALID_ARGUMENT', '`filter` must not use fields that start with keepsake_.');
  if (rule.operator === 'exists') throw unsupported("'exists'");
  // The API has `ne` but doesn't document whether a file without the attribute matches.
  if (rule.not) throw unsupported("'ne'");
  if (rule.operator === 'in') return anyOf(key, rule.value);
  if (typeof rule.value === 'string') throw unsupported('ranges of strings');
  return { type: rule.operator, key, value: rule.value };
}

function equals(key: string, value: FilterValue): AttributeFilter {
  if (value === null) throw unsupported('null');
  return { type: 'eq', key, value };
}

/** The API's `in` does not support booleans. */
function anyOf(key: string, values: readonly FilterValue[]): AttributeFilter | undefined {
  const [first, ...rest] = values.map((value) => equals(key, value));
  if (first === undefined) return undefined;
  return rest.length === 0 ? first : { type: 'or', filters: [first, ...rest] };
}

/** Filters by `createdAt`, the only time that is stored, as a number. */
function timeFilter(rule: FilterRule): AttributeFilter | undefined {
  if (rule.field !== 'createdAt') throw unsupported(`'${rule.field}'`);
  const key = OWN.createdAt;
  if (rule.operator === 'exists') return rule.not ? undefined : { type: 'gte', key, value: 0 };
  if (rule.not) throw unsupported("'ne'");
  if (rule.operator === 'in') return anyOf(key, rule.value.map(toMilliseconds));
  return { type: rule.operator, key, value: toMilliseconds(rule.value) };
}

function toMilliseconds(time: FilterValue): number {
  return Date.parse(String(time));
}

function unsupported(what: string): MemoryError {
  return new MemoryError(
    'UNSUPPORTED',
    `Filters of an OpenAI vector store do not support ${what}. Use values, \`in\` and ranges of numbers.`,
  );
}
