import { MemoryError } from './errors.ts';
import { expect } from './expect.ts';
import { canonicalJson, encodeJson, isJsonObject } from './json.ts';
import { isLongerThan, LIMITS } from './limits.ts';

/** How many items {@link Session.getItems} is to give: `undefined` for all of them, else 0 or more. */
export function itemLimit(limit: number | undefined): number | undefined {
  if (limit === undefined || Number.isNaN(limit)) return undefined;
  expect(typeof limit === 'number', 'limit is to be a number.');
  if (limit > Number.MAX_SAFE_INTEGER) return undefined;
  return limit <= 0 ? 0 : Math.ceil(limit);
}

/**
 * Writes items as JSON texts, one an item.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for what is not an array of JSON objects; `TOO_LARGE` for an item over 16 MiB.
 */
export function encodeItems(items: readonly object[], what = 'items'): string[] {
  expect(Array.isArray(items), `${what} is to be an array of items.`);
  const encoded = new Array<string>(items.length);
  for (let index = 0; index < items.length; index++) encoded[index] = encodeItem(items[index], `${what}[${index}]`);
  return encoded;
}

/** Writes one item as JSON; see {@link encodeItems}. */
export function encodeItem(item: unknown, what: string): string {
  expect(isJsonObject(item), `${what} is to be a JSON object.`);
  const json = encodeJson(item, what);
  if (isLongerThan(json, LIMITS.itemBytes)) {
    throw new MemoryError('TOO_LARGE', `${what} is over 16 MiB as JSON. Store it elsewhere and keep a reference.`);
  }
  return json;
}

/** Whether two items are the same as JSON, whatever the order of their fields. Both are JSON texts. */
export function sameItem(a: string, b: string): boolean {
  return a === b || canonicalItem(a) === canonicalItem(b);
}

/** Whether items are the same, one by one; see {@link sameItem}. */
export function sameItems(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => sameItem(item, b[index] as string));
}

/** An item that is JSON text, with the fields of its objects in one order. */
export function canonicalItem(item: string): string {
  return canonicalJson(JSON.parse(item), 'item');
}
