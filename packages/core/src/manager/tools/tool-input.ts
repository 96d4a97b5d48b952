import { isObject } from '@keepsake/internal';
import { expect } from '../../common/expect.ts';
import { cloneJson, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { findStores, storeNames } from '../options/managed-stores.ts';

/**
 * The input fields of a tool call. `null` counts as missing, because some models must fill in all fields.
 *
 * @throws MemoryError `INVALID_ARGUMENT` unless the input is an object with only fields of the schema: a model must not
 *   believe that it has chosen a user or a namespace.
 */
export function readFields(input: JsonValue, { properties }: JsonObject): JsonObject {
  const names = Object.keys(properties as JsonObject);
  const fields = `the fields: ${names.join(', ')}.`;
  expect(isObject(input), `The input must be an object with ${fields}`);
  const given = Object.entries(cloneJson(input, 'The input')).filter(([, value]) => value !== null);
  // Does not repeat the model's invented names, here and below.
  expect(
    given.every(([name]) => names.includes(name)),
    `There are only ${fields}`,
  );
  return Object.fromEntries(given);
}

/**
 * The stores that a model named, or all, and a note about unknown names.
 *
 * @throws MemoryError `INVALID_ARGUMENT` if no store has any of the names.
 */
export function readStores(
  stores: readonly MemoryStore[],
  names: JsonValue = [],
): { readonly stores: string[]; readonly note: { note?: string } } {
  const { found, unknown } = findStores(stores, names);
  const problem = unknown.length > 0 && `The only stores are: ${storeNames(stores)}.`;
  expect(!problem || found.length > 0, String(problem));
  return {
    stores: (found.length > 0 ? found : stores).map(({ name }) => name),
    note: problem ? { note: problem } : {},
  };
}
