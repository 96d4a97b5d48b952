import { expect } from '../expect.ts';
import { isJsonObject } from '../json.ts';
import { quoted } from '../text.ts';

/** Whether a value can be used, and what it is to be. */
export type Check = readonly [isSo: (value: unknown) => boolean, what: string];

/** What is looked at elsewhere. */
export const anything: Check = [() => true, ''];
export const aFunction: Check = [(value) => typeof value === 'function', 'a function'];
export const aText: Check = [(value) => typeof value === 'string', 'a text'];
export const aSwitch: Check = [(value) => typeof value === 'boolean', 'true or false'];
export const aList: Check = [Array.isArray, 'an array'];

// Bundlers leave out what nobody uses of the tables that call these two.
/* @__NO_SIDE_EFFECTS__ */
export function aWhole(max = Number.MAX_SAFE_INTEGER): Check {
  const isWhole = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max;
  return [isWhole, `a whole number from 1 to ${max}`];
}

/** An object that can do something. */
/* @__NO_SIDE_EFFECTS__ */
export function having(...methods: readonly string[]): Check {
  const has = (value: unknown, method: string) => typeof (value as Record<string, unknown>)[method] === 'function';
  return [
    (value) => isJsonObject(value) && methods.every((method) => has(value, method)),
    `an object with ${methods.map((method) => `${method}()`).join(', ')}`,
  ];
}

/**
 * Throws `INVALID_ARGUMENT` unless a value is an object that has no other fields than those of `checks`, and each as its
 * check wants it. A field of `undefined` is none.
 *
 * @param of - What the object is in the options that it belongs to; '' for the options themselves.
 */
export function expectFields(value: unknown, of: string, checks: Readonly<Record<string, Check>>): void {
  expect(isJsonObject(value), `${of || 'What is passed as options'} is to be an object.`);
  for (const [name, field] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    const place = of && ` in ${of}`;
    expect(check, `There is no option ${quoted(name)}${place}. There are: ${Object.keys(checks).join(', ')}.`);
    expect(field === undefined || check[0](field), `${of && `${of}.`}${name} is to be ${check[1]}.`);
  }
}
