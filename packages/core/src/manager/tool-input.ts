import { MemoryError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { MemoryStore } from '../memory-store.ts';
import { quoted } from '../text.ts';
import { findStores, unknownStores } from './managed-stores.ts';

/**
 * The fields that a model has given a tool. `null` stands for "not given", as models that must fill all fields do it.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for what is no object, and for other fields: a model must not believe that it
 *   has chosen a user or a namespace.
 */
export function readFields(input: JsonValue, names: readonly string[]): JsonObject {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new MemoryError('INVALID_ARGUMENT', `The input is to be an object with the fields: ${names.join(', ')}.`);
  }
  const given = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  const other = given.find(([name]) => !names.includes(name));
  if (other === undefined) return Object.fromEntries(given);
  throw new MemoryError(
    'INVALID_ARGUMENT',
    `There is no field ${quoted(other[0])}. The fields are: ${names.join(', ')}.`,
  );
}

/**
 * The stores that a model has named, all where it named none, and a note of the names that were dropped.
 *
 * @throws MemoryError `INVALID_ARGUMENT` where no store has any of the names.
 */
export function readStores(
  value: JsonValue | undefined,
  stores: readonly MemoryStore[],
): { readonly stores: string[]; readonly note: { note?: string } } {
  const names = value === undefined ? [] : value;
  if (!Array.isArray(names)) throw new MemoryError('INVALID_ARGUMENT', 'stores is to be an array of names.');
  if (names.length === 0) return { stores: stores.map(({ name }) => name), note: {} };
  const { found, unknown } = findStores(stores, names as string[]);
  if (unknown.length === 0) return { stores: found.map(({ name }) => name), note: {} };
  const note = unknownStores(unknown, stores);
  if (found.length === 0) throw new MemoryError('INVALID_ARGUMENT', note);
  return { stores: found.map(({ name }) => name), note: { note } };
}
