import { MemoryError } from './errors.ts';

/** Throws `INVALID_ARGUMENT` with `message` unless the condition holds. */
export function expect(isSo: unknown, message: string): asserts isSo {
  if (!isSo) throw new MemoryError('INVALID_ARGUMENT', message);
}

/** Throws `INVALID_ARGUMENT` unless a value is a whole number from `min` to `max`. */
export function expectWhole(
  value: unknown,
  what: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): asserts value is number {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return;
  const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  expect(false, `${what} must be a whole number ${range}.`);
}
