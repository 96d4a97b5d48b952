import { expect } from './expect.ts';
import { isObject } from './is-object.ts';
import { isPlainObject, type JsonObject } from './json.ts';
import { quoted } from './text.ts';
import { isoTime } from './time.ts';

/** What a filter compares with. */
export type FilterValue = string | number | boolean | null;

/**
 * What a field is to be: a value, or operators that must all hold.
 *
 * `gt`, `gte`, `lt` and `lte` compare numbers with numbers, and strings with strings by code point; a field of another
 * type doesn't match.
 */
export type FilterCondition =
  | FilterValue
  | {
      readonly in?: readonly FilterValue[];
      readonly gt?: string | number;
      readonly gte?: string | number;
      readonly lt?: string | number;
      readonly lte?: string | number;
      readonly exists?: boolean;
    };

/**
 * Which records to look at: all fields must match.
 *
 * `createdAt`, `updatedAt` and `expiresAt` are the times of a record (ISO 8601: a date, or a date and time with `Z` or an
 * offset). Every other name is a field of the record's metadata, literally: there are no paths and no patterns. A field
 * that holds a list or an object matches `exists` alone.
 */
export type Filter = { readonly [field: string]: FilterCondition };

const OPERATORS = 'in, gt, gte, lt, lte, exists';
const TIMES = ['createdAt', 'updatedAt', 'expiresAt'] as const;

/** One thing that must hold of a record; a checked {@link Filter} is a list of these. Backends translate them. */
export type FilterRule = {
  readonly field: string;
  /** Whether `field` is a time of the record rather than a field of its metadata. */
  readonly time: boolean;
} & (
  | { readonly operator: 'eq'; readonly value: FilterValue }
  | { readonly operator: 'in'; readonly value: readonly FilterValue[] }
  | { readonly operator: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: string | number }
  | { readonly operator: 'exists'; readonly value: boolean }
);

/** What a filter looks at in a record. */
export interface Filterable {
  readonly metadata: JsonObject;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt?: string;
}

/**
 * Checks a filter, and gives it as rules with times written as records have them.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an unknown or missing operator, an `undefined` value (a filter by a user who
 *   is missing must not give everybody's), and values of other types.
 */
export function parseFilter(filter: Filter | undefined): FilterRule[] {
  if (filter === undefined) return [];
  // Not a Map, for one: it has no fields, and a filter of no fields lets everything pass.
  const hasFields = isObject(filter) && isPlainObject(filter) && Object.getOwnPropertySymbols(filter).length === 0;
  expect(hasFields, "filter is to be an object, such as { topic: 'travel' }.");
  return Object.entries(filter).flatMap(([field, condition]) => parseCondition(field, condition));
}

/** Whether a record passes all rules. */
export function matchesFilter(rules: readonly FilterRule[], record: Filterable): boolean {
  return rules.every((rule) => matchesRule(rule, fieldOf(record, rule)));
}

function parseCondition(field: string, condition: unknown): FilterRule[] {
  const time = (TIMES as readonly string[]).includes(field);
  if (!isObject(condition)) return [{ field, time, operator: 'eq', value: readOperand(field, time, condition) }];
  const operators = Object.entries(condition);
  expectOf(field, operators.length > 0 && !Array.isArray(condition), `is to be a value or one of ${OPERATORS}`);
  return operators.map(([operator, value]) => parseRule(field, time, operator, value));
}

function parseRule(field: string, time: boolean, operator: string, value: unknown): FilterRule {
  const read = (single: unknown) => readOperand(field, time, single);
  switch (operator) {
    case 'in':
      expectOf(field, Array.isArray(value), "has an 'in' that is not a list");
      return { field, time, operator, value: Array.from(value, read) };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      expectOf(
        field,
        typeof value === 'string' || typeof value === 'number',
        `has a '${operator}' of another type than string or number`,
      );
      return { field, time, operator, value: read(value) as string | number };
    default:
      expectOf(field, operator === 'exists', `has the unknown operator ${quoted(operator)}; known are ${OPERATORS}`);
      expectOf(field, typeof value === 'boolean', "has an 'exists' that is not true or false");
      return { field, time, operator, value };
  }
}

const ISO_TIME = /^\d{4}-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?$/;

function readOperand(field: string, time: boolean, value: unknown): FilterValue {
  if (time) {
    const iso = isoTime(value, ISO_TIME);
    expectOf(field, iso, "compares with what is no time. Use ISO 8601, such as '2026-11-21' or '2026-11-21T08:00:00Z'");
    return iso;
  }
  expectOf(field, value !== undefined, 'compares with undefined');
  expectOf(
    field,
    value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
    'compares with a value that is no string, finite number, boolean or null',
  );
  return value as FilterValue;
}

function expectOf(field: string, isSo: unknown, problem: string): asserts isSo {
  if (!isSo) expect(false, `The filter field ${quoted(field)} ${problem}.`);
}

function fieldOf(record: Filterable, { field, time }: FilterRule): unknown {
  if (time) return record[field as (typeof TIMES)[number]];
  return Object.hasOwn(record.metadata, field) ? record.metadata[field] : undefined;
}

function matchesRule(rule: FilterRule, value: unknown): boolean {
  switch (rule.operator) {
    case 'eq':
      return value === rule.value;
    case 'in':
      return rule.value.includes(value as FilterValue);
    case 'exists':
      return (value !== undefined) === rule.value;
    default:
      return (
        typeof value === typeof rule.value && IN_RANGE[rule.operator](compare(value as string | number, rule.value))
      );
  }
}

/** By operator, for which orders of a value and the operand it holds. */
const IN_RANGE = {
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
};

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b);
  return compareCodePoints(a, b);
}

/** Orders by code point, as databases do in their C collation: `<` would put emoji before U+E000 to U+FFFF. */
function compareCodePoints(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index++;
  // Not a boundary inside a surrogate pair: the first half may be all that a pair shares with the other text.
  if (isInsidePair(a, index) || isInsidePair(b, index)) index--;
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1);
}

function isInsidePair(text: string, index: number): boolean {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff;
}
