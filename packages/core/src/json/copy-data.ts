import { isObject } from '@keepsake/internal';
import { isPlainObject } from './json.ts';

/**
 * A deep copy of data: of lists and plain objects, with all their named fields. Reads each once. Other values in it stay the
 * same, such as bytes and functions.
 */
export function copyData<T>(value: T): T;
export function copyData(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from({ length: value.length }, (_, index) => copyData(value[index]));
  if (!isObject(value) || !isPlainObject(value)) return value;
  return Object.fromEntries(Object.getOwnPropertyNames(value).map((name) => [name, copyData(value[name])]));
}
