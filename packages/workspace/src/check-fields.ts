import { MemoryError } from '@keepsake/core';

/** Whether a value can be used, and what it is to be. */
export type Check = readonly [isSo: (value: unknown) => boolean, what: string];

export const text: Check = [(value) => typeof value === 'string', 'a text'];
export const aSwitch: Check = [(value) => typeof value === 'boolean', 'true or false'];
export const aFunction: Check = [(value) => typeof value === 'function', 'a function'];
export const anything: Check = [() => true, ''];

export function whole(min: number, max = Number.MAX_SAFE_INTEGER): Check {
  const isWhole = (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  return [isWhole, `a whole number ${range}`];
}

/** An object that can do something. */
export function having(...methods: readonly string[]): Check {
  const isSo = (value: unknown) => isRecord(value) && methods.every((method) => typeof value[method] === 'function');
  return [isSo, `an object with ${methods.map((method) => `${method}()`).join(', ')}`];
}

/** Throws `INVALID_ARGUMENT` unless a value is an object with no fields but those of `checks`, and each as it is to be. */
export function checkFields(value: unknown, of: string, checks: Readonly<Record<string, Check>>): void {
  if (!isRecord(value)) throw new MemoryError('INVALID_ARGUMENT', `${of} is to be an object.`);
  for (const [name, field] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      const known = Object.keys(checks).join(', ');
      throw new MemoryError('INVALID_ARGUMENT', `There is no option ${JSON.stringify(name)} in ${of}, but ${known}.`);
    }
    if (field !== undefined && !check[0](field)) {
      throw new MemoryError('INVALID_ARGUMENT', `${name} in ${of} is to be ${check[1]}.`);
    }
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
