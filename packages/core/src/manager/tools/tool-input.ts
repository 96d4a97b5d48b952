import { givenFields, isObject } from '@keepsake/internal';
import { expect } from '../../common/expect.ts';
import { cloneJson, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { findStores, storeNames } from '../options/managed-stores.ts';

/**
 * The input fields of a tool call, read as {@link givenFields} says.
 *
 * @throws MemoryError `INVALID_ARGUMENT` unless the input is an object with only fields of the schema: a model must not
 *   believe that it has chosen a user or a namespace.
 */
export function readFields(input: JsonValue, schema: JsonObject): JsonObject {
  const names = Object.keys(schema.properties as JsonObject);
  const fields = `the fields: ${names.join(', ')}.`;
  const inputFields = givenFields(cloneJson(input, 'The input'), schema);
  expect(isObject<JsonValue>(inputFields), `The input must be an object with ${fields}`);
  // Does not repeat the model's invented names, here and below.
  expect(
    Object.keys(inputFields).every((name) => names.includes(name)),
    `There are only ${fields}`,
  );
  return inputFields;
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
  const { found: foundStores, unknown } = findStores(stores, names);
  const problem = unknown.length > 0 && `The only stores are: ${storeNames(stores)}.`;
  expect(!problem || foundStores.length > 0, String(problem));
  return {
    stores: (foundStores.length > 0 ? foundStores : stores).map(({ name }) => name),
    note: problem ? { note: problem } : {},
  };
}
