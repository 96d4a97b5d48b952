import { canonicalJson, cloneJson, expect } from '@keepsake/core/adapter';
import { fieldPath, isObject } from '@keepsake/internal';
import { readFields } from '../arguments/read-argument.ts';

/** A test of the field of a value. */
type Test = (field: unknown) => boolean;

export type ItemTest = (value: Readonly<Record<string, unknown>>) => boolean;

/**
 * Reads a filter of LangGraph: each field equals a value, or passes all its operators.
 *
 * @param what - The path of the filter.
 * @throws MemoryError `INVALID_ARGUMENT` for an unknown operator, and for `undefined`: a filter by a missing user must not
 *   match the items of nobody.
 */
export function readFilter(filter: unknown, what: string): ItemTest | undefined {
  if (filter === undefined) return undefined;
  const fields = readFields(filter, what);
  // Not a Map, for example: it has no fields, and a filter without fields passes everything.
  if (fields.length === 0) cloneJson(filter, what);
  const tests = fields.map(([field, condition], index) => {
    return [field, readCondition(condition, `\`${what}${fieldPath(field, index + 1)}\``)] as const;
  });
  return (value) => tests.every(([field, test]) => test(Object.hasOwn(value, field) ? value[field] : undefined));
}

/** `what` is the path of the field. */
function readCondition(condition: unknown, what: string): Test {
  if (!isObject(condition) || !Object.keys(condition).some((name) => name.startsWith('$'))) {
    return isEqualTo(condition, what);
  }
  const tests = Object.entries(condition).map(([operator, operand]) => {
    const names = Object.keys(OPERATORS).join(', ');
    expect(Object.hasOwn(OPERATORS, operator), `${what} has an unknown operator. Known are ${names}.`);
    return OPERATORS[operator as keyof typeof OPERATORS](operand, `${what}, operator ${operator},`);
  });
  return (value) => tests.every((test) => test(value));
}

const OPERATORS = {
  $eq: (operand: unknown, what: string) => isEqualTo(operand, what),
  $ne: (operand: unknown, what: string) => not(isEqualTo(operand, what)),
  $gt: (operand: unknown, what: string) => compares(operand, what, (a, b) => a > b),
  $gte: (operand: unknown, what: string) => compares(operand, what, (a, b) => a >= b),
  $lt: (operand: unknown, what: string) => compares(operand, what, (a, b) => a < b),
  $lte: (operand: unknown, what: string) => compares(operand, what, (a, b) => a <= b),
  $in: (operand: unknown, what: string) => isIn(operand, what),
  $nin: (operand: unknown, what: string) => not(isIn(operand, what)),
};

function not(test: Test): Test {
  return (value) => !test(value);
}

function isIn(operand: unknown, what: string): Test {
  expect(Array.isArray(operand), `${what} must be a list.`);
  const tests = Array.from(operand, (one) => isEqualTo(one, what));
  return (value) => tests.some((test) => test(value));
}

function isEqualTo(expected: unknown, what: string): Test {
  expectOperand(expected, what);
  if (typeof expected !== 'object' || expected === null) return (value) => value === expected;
  const json = canonicalJson(expected, what);
  return (value) => typeof value === 'object' && value !== null && canonicalJson(value, 'value') === json;
}

/** No item has such a value, so a filter by it would look like an empty store. */
const UNFIT: readonly string[] = ['bigint', 'function', 'symbol'];

function expectOperand(operand: unknown, what: string): void {
  expect(operand !== undefined, `${what} is undefined. Leave it out, or compare with null.`);
  expect(!UNFIT.includes(typeof operand), `${what} is a ${typeof operand}, which JSON can't hold. Convert it first.`);
}

/** As LangGraph does: both as numbers, so that what is no number is not in any range. */
function compares(operand: unknown, what: string, holds: (a: number, b: number) => boolean): Test {
  expectOperand(operand, what);
  const limit = numberOf(operand);
  return (value) => holds(numberOf(value), limit);
}

/** An object is no number, also one that JavaScript cannot convert. */
function numberOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value);
}
