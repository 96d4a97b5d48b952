import { canonicalJson, expect, quoted } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';

/** A test of the field of a value. */
type Test = (field: unknown) => boolean;

export type ItemTest = (value: Readonly<Record<string, unknown>>) => boolean;

/**
 * Reads a filter of LangGraph: each field equals a value, or passes all its operators.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for an unknown operator, and for `undefined`: a filter by a missing user must not
 *   match the items of nobody.
 */
export function readFilter(filter: Readonly<Record<string, unknown>> | undefined): ItemTest | undefined {
  if (filter === undefined) return undefined;
  const tests = Object.entries(filter).map(([field, condition]) => [field, readCondition(field, condition)] as const);
  return (value) => tests.every(([field, test]) => test(Object.hasOwn(value, field) ? value[field] : undefined));
}

function readCondition(field: string, condition: unknown): Test {
  expect(
    condition !== undefined,
    `The filter field ${quoted(field)} is undefined. Leave it out, or compare with null.`,
  );
  if (!isObject(condition) || !Object.keys(condition).some((name) => name.startsWith('$'))) return isEqualTo(condition);
  const tests = Object.entries(condition).map(([operator, operand]) => {
    const known = Object.keys(OPERATORS).join(', ');
    expect(
      Object.hasOwn(OPERATORS, operator),
      `The filter field ${quoted(field)} has the unknown operator ${quoted(operator)}. Known are ${known}.`,
    );
    return OPERATORS[operator as keyof typeof OPERATORS](
      operand,
      `\`${operator}\` of the filter field ${quoted(field)}`,
    );
  });
  return (value) => tests.every((test) => test(value));
}

const OPERATORS = {
  $eq: (operand: unknown) => isEqualTo(operand),
  $ne: (operand: unknown) => not(isEqualTo(operand)),
  $gt: (operand: unknown) => compares(operand, (a, b) => a > b),
  $gte: (operand: unknown) => compares(operand, (a, b) => a >= b),
  $lt: (operand: unknown) => compares(operand, (a, b) => a < b),
  $lte: (operand: unknown) => compares(operand, (a, b) => a <= b),
  $in: (operand: unknown, what: string) => isIn(operand, what),
  $nin: (operand: unknown, what: string) => not(isIn(operand, what)),
};

function not(test: Test): Test {
  return (value) => !test(value);
}

function isIn(operand: unknown, what: string): Test {
  expect(Array.isArray(operand), `${what} must be a list.`);
  const tests = operand.map(isEqualTo);
  return (value) => tests.some((test) => test(value));
}

function isEqualTo(expected: unknown): Test {
  if (typeof expected !== 'object' || expected === null) return (value) => value === expected;
  const json = canonicalJson(expected, 'filter');
  return (value) => typeof value === 'object' && value !== null && canonicalJson(value, 'value') === json;
}

/** As LangGraph does: both as numbers, so that what is no number is not in any range. */
function compares(operand: unknown, holds: (a: number, b: number) => boolean): Test {
  const limit = numberOf(operand);
  return (value) => holds(numberOf(value), limit);
}

/** An object is no number, also one that JavaScript cannot convert. */
function numberOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value);
}
