import { fieldPath, isObject } from '@keepsake/internal';
import { expect } from '../common/expect.ts';
import { isoTime } from '../common/time.ts';
import { cloneStrictJson, type JsonObject } from '../json/json.ts';
import { type RecordSource, SOURCE_FIELDS } from './record-source.ts';

/** A value to compare with. */
export type FilterValue = string | number | boolean | null;

/**
 * What a field must be: a value, or operators that must all hold.
 *
 * `ne` matches every record that the value doesn't match, including records without the field. `gt`, `gte`, `lt` and `lte`
 * compare numbers with numbers, and strings with strings by code point; a field of another type doesn't match.
 */
type FilterCondition =
  | FilterValue
  | {
      readonly in?: readonly FilterValue[];
      readonly ne?: FilterValue;
      readonly gt?: string | number;
      readonly gte?: string | number;
      readonly lt?: string | number;
      readonly lte?: string | number;
      readonly exists?: boolean;
    };

/**
 * Selects records: all fields must match.
 *
 * `createdAt`, `updatedAt` and `expiresAt` are the times of a record (ISO 8601: a date and time with `Z` or an offset, or a
 * day or month in UTC, all of which counts: `lte: '2026-03-31'` includes that day, `gt` begins after it, and the value alone
 * matches its moments; `in` and `ne` take moments only). `source.conversation`, `source.run`, `source.speaker` and `source.kind` are the fields of its source. Every other
 * name is a field of the record's metadata, literally: there are no paths and no patterns. So a metadata field with one of
 * these seven names is stored, but no filter sees it. A field with a list or an object matches only `exists` and `ne`.
 */
export type Filter = { readonly [field: string]: FilterCondition };

/**
 * One test that a record must pass. Several operators are the same test: a value is an `in` of one value, `ne` is that
 * negated. So an operator that these tests can express is added here, and in no backend.
 */
type FilterTest = {
  /** The rule holds where the test fails, also because the field is missing. */
  readonly not: boolean;
} & (
  | { readonly operator: 'in'; readonly value: readonly FilterValue[] }
  | { readonly operator: 'gt' | 'gte' | 'lt' | 'lte'; readonly value: string | number }
  | { readonly operator: 'exists' }
);

/** What a rule looks at: a field of the metadata, a time of the record, or a field of its source. */
export interface FilterField {
  readonly part: 'metadata' | 'time' | 'source';
  readonly field: string;
}

/** One condition of a checked {@link Filter}. Bedrock and OpenAI translate these, all other backends call {@link matchesFilter}. */
export type FilterRule = FilterField & FilterTest;

/** The fields of a record that filters see. */
export interface Filterable {
  readonly metadata: JsonObject;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt?: string;
  readonly source?: RecordSource;
}

/**
 * Checks a filter and returns it as rules, with times in the format of records.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an unknown or missing operator, an `undefined` value (a filter by a missing
 *   user must not match everybody's records), and values of other types.
 */
export function parseFilter(filter: Filter | undefined): FilterRule[] {
  return Object.entries(copyFilter(filter) ?? {}).flatMap(([name, condition], index) =>
    parseCondition(fieldNamed(name), condition, `filter${fieldPath(name, index + 1)}`),
  );
}

/** A copy of a filter, each part of which is read once. Throws `INVALID_ARGUMENT` unless it is a plain object. */
export function copyFilter(filter: Filter | undefined): Filter | undefined {
  if (filter === undefined) return undefined;
  // Not a Map, for example: it has no fields, and a filter without fields passes everything.
  const copy = cloneStrictJson(filter, 'filter');
  expect(isObject(copy), "filter must be an object, such as { topic: 'travel' }.");
  return copy;
}

/** Whether a record passes all rules. */
export function matchesFilter(rules: readonly FilterRule[], record: Filterable): boolean {
  return rules.every((rule) => passesTest(rule, fieldValue(record, rule)) !== rule.not);
}

const TIMES: readonly string[] = ['createdAt', 'updatedAt', 'expiresAt'];

/** What a name in a filter refers to. */
export function fieldNamed(name: string): FilterField {
  if (TIMES.includes(name)) return { part: 'time', field: name };
  const field = SOURCE_FIELDS.find((one) => name === `source.${one}`);
  return field === undefined ? { part: 'metadata', field: name } : { part: 'source', field };
}

function parseCondition(field: FilterField, condition: FilterCondition, what: string): FilterRule[] {
  const operand: Operand = { what, read: (value, edge) => readOperand(what, field, value, edge) };
  if (field.part === 'time' && isPeriod(condition)) {
    return parseCondition(field, { gte: condition, lte: condition }, what);
  }
  if (typeof condition !== 'object' || condition === null)
    return [{ ...field, operator: 'in', value: [operand.read(condition)], not: false }];
  const operators = Object.entries(condition);
  const isKnown = operators.length > 0 && operators.every(([operator]) => Object.hasOwn(OPERATORS, operator));
  expect(isKnown, `${what} must be a value or use only the operators ${Object.keys(OPERATORS).join(', ')}.`);
  return operators.map(([operator, value]) => ({ ...field, ...OPERATORS[operator as Operator](value, operand) }));
}

type Operator = keyof Exclude<FilterCondition, FilterValue>;

/** A moment of a day or month. */
type Edge = 'first' | 'last';

/** What an operator compares with. */
interface Operand {
  /** The path of the field in the filter, for errors. */
  readonly what: string;
  /** Checks a value and converts it to the format of records: of a day or month, that edge. */
  readonly read: (value: unknown, edge?: Edge) => FilterValue;
}

/** Checks the operand of each operator and returns it as a test. */
const OPERATORS: { readonly [one in Operator]: (value: unknown, operand: Operand) => FilterTest } = {
  in(value, { what, read }) {
    expect(Array.isArray(value), `${what} has an 'in' that is not a list.`);
    return { operator: 'in', value: value.map((one) => read(one)), not: false };
  },
  ne: (value, { read }) => ({ operator: 'in', value: [read(value)], not: true }),
  gt: (value, operand) => compared('gt', value, operand),
  gte: (value, operand) => compared('gte', value, operand),
  lt: (value, operand) => compared('lt', value, operand),
  lte: (value, operand) => compared('lte', value, operand),
  exists(value, { what }) {
    expect(typeof value === 'boolean', `${what} has an 'exists' that is not true or false.`);
    return { operator: 'exists', not: !value };
  },
};

function compared(operator: 'gt' | 'gte' | 'lt' | 'lte', value: unknown, { what, read }: Operand): FilterTest {
  const isOrdered = typeof value === 'string' || typeof value === 'number';
  expect(isOrdered, `${what} has a '${operator}' that is not a string or number.`);
  const edge = operator === 'gt' || operator === 'lte' ? 'last' : 'first';
  return { operator, value: read(value, edge) as string | number, not: false };
}

const ISO_TIME = /^\d{4}-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?$/;

/** Whether an operand is a day or a month, and not a moment. */
function isPeriod(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d(-\d\d)?$/.test(value);
}

function readOperand(what: string, { part }: FilterField, value: unknown, edge: Edge | undefined): FilterValue {
  if (part === 'time') {
    const iso = isoTime(value, ISO_TIME);
    expect(iso, `${what} must be ISO 8601, such as '2026-11-21' or '2026-11-21T08:00:00Z'.`);
    if (!isPeriod(value)) return iso;
    expect(edge, `${what} has an operator that takes a date and time. Use gte and lte for a whole day or month.`);
    return edge === 'first' ? iso : lastMoment(value);
  }
  if (part === 'source') {
    // A filter for "no run" would otherwise silently match nothing.
    expect(typeof value === 'string', `${what} must be a string; use exists for 'none'.`);
    return value;
  }
  expect(typeof value !== 'object' || value === null, `${what} compares with a list or an object.`);
  return value as FilterValue;
}

/** The last millisecond of a day or month. */
function lastMoment(period: string): string {
  const time = new Date(period);
  if (period.length === 'YYYY-MM'.length) time.setUTCMonth(time.getUTCMonth() + 1);
  else time.setUTCDate(time.getUTCDate() + 1);
  return new Date(time.getTime() - 1).toISOString();
}

function fieldValue(record: Filterable, { part, field }: FilterRule): unknown {
  const fields = { metadata: record.metadata, time: record, source: record.source ?? {} }[part];
  return Object.hasOwn(fields, field) ? (fields as Record<string, unknown>)[field] : undefined;
}

function passesTest(test: FilterTest, value: unknown): boolean {
  switch (test.operator) {
    case 'in':
      return test.value.includes(value as FilterValue);
    case 'exists':
      return value !== undefined;
    default:
      return (
        typeof value === typeof test.value && IN_RANGE[test.operator](compare(value as string | number, test.value))
      );
  }
}

/** By operator: the comparison results for which it holds. */
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

/** Orders by code point, like the C collation of databases: `<` would put emoji before U+E000 to U+FFFF. */
function compareCodePoints(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index++;
  // Not inside a surrogate pair: the texts may share only its first half.
  if (isInsidePair(a, index) || isInsidePair(b, index)) index--;
  return (a.codePointAt(index) ?? -1) - (b.codePointAt(index) ?? -1);
}

function isInsidePair(text: string, index: number): boolean {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff;
}
