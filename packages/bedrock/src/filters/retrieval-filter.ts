import { MemoryError } from '@keepsake/core';
import { copyData, guarded } from '@keepsake/core/adapter';

/** An attribute and the value it is compared with. */
export interface FilterAttribute {
  readonly key: string;
  readonly value: string | number | boolean | (string | number)[];
}

/** A filter of the service, with one operator per object. Structurally the AWS SDK's `RetrievalFilter`. */
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

/** The maximum length of an attribute name in a filter. */
export const MAX_FILTER_KEY = 100;

/** The maximum number of filters in one list, in earlier versions of the service. */
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
 * Copies a filter.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an invalid filter. A missing value is refused, because JSON would drop it and
 *   everything might match.
 */
export function copyRetrievalFilter(filter: RetrievalFilter): RetrievalFilter {
  const copy = guarded('`filter`', () => copyData(filter));
  check(copy);
  return copy;
}

/** Combines filters with AND; `undefined` if there are none. */
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
  if (entries.length !== 1) refuse('each part must be an object with one operator');
  if (LISTS.includes(operator)) {
    if (!Array.isArray(operand) || operand.length < 2) refuse(`${operator} must be a list of two or more filters`);
    operand.forEach(check);
  } else if (COMPARISONS.includes(operator)) {
    const { key, value } = (operand ?? {}) as { key?: unknown; value?: unknown };
    const named = typeof key === 'string' && key !== '' && key.length <= MAX_FILTER_KEY;
    if (!named) refuse(`the key of ${operator} must be a string of 1 to ${MAX_FILTER_KEY} characters`);
    if (!isOperand(value))
      refuse(`the value of ${operator} must be a string, a finite number, a boolean or a list of them`);
  } else {
    refuse(`the operators are ${[...COMPARISONS, ...LISTS].join(', ')}`);
  }
}

function isOperand(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => !Array.isArray(one) && isOperand(one));
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function refuse(problem: string): never {
  throw new MemoryError('INVALID_ARGUMENT', `\`filter\` is invalid: ${problem}.`);
}
