import { type FilterRule, MemoryError } from '@keepsake/core';
import { MAX_FILTER_KEY, type RetrievalFilter } from './retrieval-filter.ts';

/**
 * The rules of a filter in the words of the service; `undefined` where no document can pass.
 *
 * @throws MemoryError `UNSUPPORTED` for what a knowledge base can't tell: times of a record, whether a field is there, and
 *   which of two texts comes first.
 */
export function translateFilter(rules: readonly FilterRule[]): RetrievalFilter[] | undefined {
  const filters: RetrievalFilter[] = [];
  for (const rule of rules) {
    const filter = translate(rule);
    if (filter === undefined) return undefined;
    filters.push(filter);
  }
  return filters;
}

const RANGES = { gt: 'greaterThan', gte: 'greaterThanOrEquals', lt: 'lessThan', lte: 'lessThanOrEquals' } as const;

function translate(rule: FilterRule): RetrievalFilter | undefined {
  const { field: key, time, operator, value } = rule;
  if (time) refuse('keeps no times of its own to filter by. Put the time into the metadata, as a number');
  if (operator === 'exists') refuse("can't tell whether a field is there");
  if (key.length > MAX_FILTER_KEY) refuse(`can't filter by names of over ${MAX_FILTER_KEY} characters`);
  // No attribute has an empty name.
  if (key === '') return undefined;
  if (operator === 'eq') return anyOf(key, [value]);
  if (operator === 'in') return anyOf(key, value);
  if (typeof value === 'string')
    refuse('compares numbers alone. Put what is to be ordered into the metadata as a number');
  return { [RANGES[operator]]: { key, value } } as RetrievalFilter;
}

/** Whether an attribute is one of some values. No attribute is `null` or an empty text. */
function anyOf(key: string, values: readonly unknown[]): RetrievalFilter | undefined {
  const present = [...new Set(values)].filter((value) => value !== null && value !== '');
  const [one] = present;
  if (one === undefined) return undefined;
  if (present.length === 1) return { equals: { key, value: one as string } };
  // The lists of the service hold texts or numbers, and not both.
  const choices = (['string', 'number', 'boolean'] as const).flatMap((type) => {
    const typed = present.filter((value) => typeof value === type);
    if (type === 'boolean' || typed.length === 1) {
      return typed.map((value) => ({ equals: { key, value } }) as RetrievalFilter);
    }
    return typed.length === 0 ? [] : [{ in: { key, value: typed as string[] } }];
  });
  return choices.length === 1 ? choices[0] : { orAll: choices };
}

function refuse(problem: string): never {
  throw new MemoryError('UNSUPPORTED', `A Bedrock knowledge base ${problem}.`);
}
