import { MemoryError } from '@keepsake/core';

/** What a metadata attribute is compared with. */
export interface FilterAttribute {
  readonly key: string;
  readonly value: string | number | boolean | (string | number)[];
}

/** A filter in the words of the service: one operator an object. `RetrievalFilter` of the AWS SDK, structurally. */
export type RetrievalFilter =
  | { readonly equals: FilterAttribute }
  | { readonly notEquals: FilterAttribute }
  | { readonly greaterThan: FilterAttribute }
  | { readonly greaterThanOrEquals: FilterAttribute }
  | { readonly lessThan: FilterAttribute }
  | { readonly lessThanOrEquals: FilterAttribute }
  | { readonly in: FilterAttribute }
  | { readonly notIn: FilterAttribute }
  | { readonly startsWith: FilterAttribute }
  | { readonly listContains: FilterAttribute }
  | { readonly stringContains: FilterAttribute }
  | { readonly andAll: RetrievalFilter[] }
  | { readonly orAll: RetrievalFilter[] };

/** How long the name of an attribute can be in a filter. */
export const MAX_FILTER_KEY = 100;

/** So many filters go into one list; those of earlier versions of the service take no more. */
const MAX_LIST = 5;

const COMPARISONS: readonly string[] = [
  'equals',
  'notEquals',
  'greaterThan',
  'greaterThanOrEquals',
  'lessThan',
  'lessThanOrEquals',
  'in',
  'notIn',
  'startsWith',
  'listContains',
  'stringContains',
];
const LISTS: readonly string[] = ['andAll', 'orAll'];

/**
 * A copy of a filter.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for what is none. A value that is missing is refused: left out on the way, it
 *   might let everything pass.
 */
export function copyRetrievalFilter(filter: RetrievalFilter): RetrievalFilter {
  check(filter);
  return structuredClone(filter);
}

/** One filter that passes what all of them pass; `undefined` for none. */
export function allOf(filters: readonly RetrievalFilter[]): RetrievalFilter | undefined {
  if (filters.length <= 1) return filters[0];
  if (filters.length <= MAX_LIST) return { andAll: [...filters] };
  const groups: RetrievalFilter[] = [];
  for (let start = 0; start < filters.length; start += MAX_LIST) {
    groups.push(allOf(filters.slice(start, start + MAX_LIST)) as RetrievalFilter);
  }
  return allOf(groups);
}

function check(filter: unknown): void {
  const entries = typeof filter === 'object' && filter !== null ? Object.entries(filter) : [];
  const [operator, operand] = entries[0] ?? ['', undefined];
  if (entries.length !== 1) refuse('each part of it is to be an object with one operator');
  if (LISTS.includes(operator)) {
    if (!Array.isArray(operand) || operand.length < 2) refuse(`${operator} is to be a list of two or more filters`);
    operand.forEach(check);
  } else if (COMPARISONS.includes(operator)) {
    const { key, value } = (operand ?? {}) as { key?: unknown; value?: unknown };
    const named = typeof key === 'string' && key !== '' && key.length <= MAX_FILTER_KEY;
    if (!named) refuse(`the key of ${operator} is to be a text of 1 to ${MAX_FILTER_KEY} characters`);
    if (!isOperand(value))
      refuse(`the value of ${operator} is to be a text, a finite number, a boolean or a list of them`);
  } else {
    refuse(`its operators are ${[...COMPARISONS, ...LISTS].join(', ')}`);
  }
}

function isOperand(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => !Array.isArray(one) && isOperand(one));
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function refuse(problem: string): never {
  throw new MemoryError('INVALID_ARGUMENT', `filter can't be used: ${problem}.`);
}
