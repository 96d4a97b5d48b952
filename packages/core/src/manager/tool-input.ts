import { expect } from '../expect.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { MemoryStore } from '../memory-store.ts';
import { findStores, storeNames } from './managed-stores.ts';

/**
 * The fields that a model has given a tool. `null` stands for "not given", as models that must fill all fields do it.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for what is no object, and for other fields than those of the schema: a model
 *   must not believe that it has chosen a user or a namespace.
 */
export function readFields(input: JsonValue, { properties }: JsonObject): JsonObject {
  const names = Object.keys(properties as JsonObject);
  const fields = `the fields: ${names.join(', ')}.`;
  expect(isJsonObject(input), `The input is to be an object with ${fields}`);
  const given = Object.entries(input).filter(([, value]) => value !== null);
  // What a model has made up is not repeated to it, here and below.
  expect(
    given.every(([name]) => names.includes(name)),
    `There are only ${fields}`,
  );
  return Object.fromEntries(given);
}

/**
 * The stores that a model has named, all where it named none, and a note of names that were dropped.
 *
 * @throws MemoryError `INVALID_ARGUMENT` where no store has any of the names.
 */
export function readStores(
  stores: readonly MemoryStore[],
  names: JsonValue = [],
): { readonly stores: string[]; readonly note: { note?: string } } {
  const { found, unknown } = findStores(stores, names);
  const problem = unknown.length > 0 && `There are only the stores: ${storeNames(stores)}.`;
  expect(!problem || found.length > 0, String(problem));
  return {
    stores: (found.length > 0 ? found : stores).map(({ name }) => name),
    note: problem ? { note: problem } : {},
  };
}
