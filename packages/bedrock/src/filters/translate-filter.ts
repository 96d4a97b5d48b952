import { type FilterValue, MemoryError } from '@keepsake/core';
import type { FilterRule } from '@keepsake/core/adapter';
import { MAX_FILTER_KEY, type RetrievalFilter } from './retrieval-filter.ts';

/**
 * Translates the rules of a filter to filters of the service; `undefined` if no document can match.
 *
 * @throws MemoryError `UNSUPPORTED` for filters by times and sources of a record, by existence of a field, and for ranges of
 *   strings.
 */
export function translateFilter(rules: readonly FilterRule[]): RetrievalFilter[] | undefined {
  const filters: RetrievalFilter[] = [];
  for (const rule of rules) {
    const translated = translate(rule);
    if (translated === undefined) return undefined;
    filters.push(...translated);
  }
  return filters;
}

const RANGES = { gt: 'greaterThan', gte: 'greaterThanOrEquals', lt: 'lessThan', lte: 'lessThanOrEquals' } as const;

/** The filters of one rule, combined with AND. */
function translate(rule: FilterRule): RetrievalFilter[] | undefined {
  const { field: key } = rule;
  if (rule.part === 'time') refuse("can't filter by times of a record. Put the time into the metadata as a number");
  if (rule.part === 'source') refuse("can't filter by source. Put it into the metadata");
  if (rule.operator === 'exists') refuse("can't filter by existence of a field");
  if (key.length > MAX_FILTER_KEY) refuse(`can't filter by names over ${MAX_FILTER_KEY} characters`);
  if (rule.operator === 'in') return rule.not ? noneOf(key, rule.value) : anyOf(key, rule.value);
  if (rule.not) refuse("can't negate ranges");
  // No attribute has an empty name.
  if (key === '') return undefined;
  const { operator, value } = rule;
  if (typeof value === 'string') refuse('can only order numbers. Put the value into the metadata as a number');
  return [{ [RANGES[operator]]: { key, value } } as RetrievalFilter];
}

/** Matches an attribute that equals one of the values. */
function anyOf(key: string, values: readonly FilterValue[]): RetrievalFilter[] | undefined {
  const present = storable(key, values);
  const [one] = present;
  if (one === undefined) return undefined;
  if (present.length === 1) return [{ equals: { key, value: one } }];
  // A list of the service contains strings or numbers, not both.
  const choices = (['string', 'number', 'boolean'] as const).flatMap((type) => {
    const typed = present.filter((value) => typeof value === type);
    if (type === 'boolean' || typed.length === 1) {
      return typed.map((value) => ({ equals: { key, value } }) as RetrievalFilter);
    }
    return typed.length === 0 ? [] : [{ in: { key, value: typed as string[] } }];
  });
  return choices.length === 1 ? choices : [{ orAll: choices }];
}

/**
 * Matches an attribute that equals none of the values. As the contract requires, the service also matches documents without
 * the attribute.
 */
function noneOf(key: string, values: readonly FilterValue[]): RetrievalFilter[] {
  return storable(key, values).map((value) => ({ notEquals: { key, value } }));
}

/** The values that an attribute can have: not `null`, not an empty string, and none if the name is empty. */
function storable(key: string, values: readonly FilterValue[]): (string | number | boolean)[] {
  const canStore = (value: FilterValue): value is NonNullable<FilterValue> => value !== null && value !== '';
  return [...new Set(key === '' ? [] : values)].filter(canStore);
}

function refuse(problem: string): never {
  throw new MemoryError('UNSUPPORTED', `A Bedrock knowledge base ${problem}.`);
}
