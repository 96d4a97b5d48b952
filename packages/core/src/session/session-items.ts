import { isObject } from '@keepsake/internal';
import { MemoryError } from '../common/errors.ts';
import { expect } from '../common/expect.ts';
import { isLongerThan, LIMITS } from '../common/limits.ts';
import { readList } from '../common/read-values.ts';
import { canonicalJson, cloneJson } from '../json/json.ts';

/** The limit of {@link Session.getItems}: `undefined` for all items, else 0 or more. */
export function itemLimit(limit: number | undefined): number | undefined {
  if (limit === undefined || Number.isNaN(limit)) return undefined;
  expect(typeof limit === 'number', 'limit must be a number.');
  if (limit > Number.MAX_SAFE_INTEGER) return undefined;
  return limit <= 0 ? 0 : Math.ceil(limit);
}

/**
 * Encodes items as JSON texts.
 *
 * @throws MemoryError `INVALID_ARGUMENT` unless `items` is an array of JSON objects; `TOO_LARGE` for an item over 16 MiB.
 */
export function encodeItems(items: readonly object[], what = 'items'): string[] {
  const list = readList(items, what, `${what} must be an array of items.`);
  return list.map((item, index) => encodeItem(item, `${what}[${index}]`));
}

/** Encodes one item as JSON, see {@link encodeItems}. */
export function encodeItem(item: unknown, what: string): string {
  const copy = typeof item === 'object' ? cloneJson(item, what) : item;
  expect(isObject(copy), `${what} must be a JSON object.`);
  const json = JSON.stringify(copy);
  if (isLongerThan(json, LIMITS.itemBytes)) {
    throw new MemoryError('TOO_LARGE', `${what} is over 16 MiB as JSON. Store it elsewhere and keep a reference.`);
  }
  return json;
}

/** Whether two items, given as JSON texts, are equal, regardless of the order of fields. */
export function sameItem(a: string, b: string): boolean {
  return a === b || canonicalItem(a) === canonicalItem(b);
}

/** Whether lists of items are equal, see {@link sameItem}. */
export function sameItems(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => sameItem(item, b[index] as string));
}

/** An item as JSON text with sorted object fields. */
export function canonicalItem(item: string): string {
  return canonicalJson(JSON.parse(item), 'item');
}
