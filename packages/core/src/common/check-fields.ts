import { isObject, nearestName, quoted } from '@keepsake/internal';
import { expect, expectWhole } from './expect.ts';
import { guarded } from './read-values.ts';

/**
 * What a field must be: the name of a type (`whole` is a whole number of 1 or more), the highest whole number, the methods of an object, or a
 * test and what it tests in words. Data alone, so that bundlers leave out the tables that nobody uses.
 */
export type Check =
  | 'anything'
  | 'array'
  | 'boolean'
  | 'function'
  | 'string'
  | 'whole'
  | number
  | readonly string[]
  | readonly [isSo: (value: unknown) => boolean, what: string];

/** The fields of an options type. The compiler asks for each of them. */
export type FieldNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Throws `INVALID_ARGUMENT` unless `options` is an object without fields other than `fieldNames`. A field that is `undefined`
 * counts as missing.
 *
 * @param of - What the object is in the options that it belongs to; '' for the options themselves.
 * @returns A copy of the known fields. Use it, because getters of `options` may answer differently when they are read again.
 */
export function expectKnownFields<Options>(
  options: Options,
  fieldNames: Readonly<Record<string, unknown>>,
  of = '',
): Options {
  const what = of === '' ? 'The options' : `\`${of}\``;
  return guarded(what, () => {
    expect(isObject(options), `${what} must be an object.`);
    const names = Object.keys(fieldNames);
    const copy: Record<string, unknown> = {};
    for (const name of new Set([...names, ...Object.getOwnPropertyNames(options)])) {
      const field = (options as Record<string, unknown>)[name];
      if (field === undefined) continue;
      if (!Object.hasOwn(fieldNames, name)) {
        const nearest = nearestName(name, names);
        const hint = nearest === undefined ? `The options are ${names.join(', ')}.` : `Did you mean \`${nearest}\`?`;
        expect(false, `Unknown option \`${cut(name)}\`${of && ` in \`${of}\``}. ${hint}`);
      }
      copy[name] = field;
    }
    return copy as Options;
  });
}

/**
 * Throws `INVALID_ARGUMENT` unless `value` is an object without fields other than those of `checks`, and each field passes
 * its check. A field that is `undefined` counts as missing.
 *
 * @param of - What the object is in the options that it belongs to; '' for the options themselves.
 * @returns A copy of the fields, see {@link expectKnownFields}.
 */
export function expectFields<Options>(value: Options, of: string, checks: Readonly<Record<string, Check>>): Options {
  const fields = expectKnownFields(value, checks, of);
  for (const [name, field] of Object.entries(fields as object)) {
    const what = `\`${of && `${of}.`}${name}\``;
    guarded(what, () => expectPasses(field, what, checks[name] as Check));
  }
  return fields;
}

function expectPasses(value: unknown, what: string, check: Check): void {
  if (check === 'whole') {
    expectWhole(value, what, 1);
  } else if (typeof check === 'number') {
    expectWhole(value, what, 1, check);
  } else {
    const [isSo, words] = check === 'anything' ? [true, ''] : testOf(value, check);
    expect(isSo, `${what} must be ${words}.`);
  }
}

function testOf(value: unknown, check: Exclude<Check, number>): readonly [isSo: boolean, what: string] {
  if (check === 'array') return [Array.isArray(value), 'an array'];
  if (typeof check === 'string') return [typeof value === check, `a ${check}`];
  const [test, words] = check;
  if (typeof test === 'function') return [test(value), words as string];
  const methods = check as readonly string[];
  const hasAll = isObject(value) && methods.every((method) => typeof value[method] === 'function');
  return [hasAll, `an object with ${methods.map((method) => `${method}()`).join(', ')}`];
}

/** A name for an error message: its control characters escaped, cut at 80 characters. */
function cut(name: string): string {
  return quoted(name).slice(1, -1);
}
