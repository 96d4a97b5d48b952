import { isObject } from '@keepsake/internal';
import { expect } from '../common/expect.ts';

/** Anything that JSON can hold. */
export type JsonValue = string | number | boolean | null | JsonObject | JsonValue[];

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** A JSON value that is passed in: fields of objects may be `undefined`, and are then left out. */
export type JsonInput = string | number | boolean | null | JsonObjectInput | readonly JsonInput[];

/** A JSON object that is passed in. Every {@link JsonObject} is one. */
export type JsonObjectInput = { readonly [key: string]: JsonInput | undefined };

/** How deep values may nest. Deeper ones are refused, because parsers of some backends overflow on them. */
const MAX_DEPTH = 500;

/**
 * Writes a value as JSON, keeping the order of its fields. Refuses values that `JSON.stringify` would silently change.
 *
 * Leaves out object fields that are `undefined` or named by a symbol, and turns -0 into 0. Everything else comes back
 * unchanged from `JSON.parse`, including `__proto__` fields, NUL and lone surrogates.
 *
 * @param what - Names the value in error messages, e.g. `items[2]`.
 * @throws MemoryError `INVALID_ARGUMENT` with the path to the first value that JSON can't hold: NaN, Infinity, BigInt,
 *   functions, symbols, `undefined` outside of object fields, sparse arrays, cycles, nesting deeper than 500 levels, and
 *   objects that aren't plain (Date, Map, typed arrays, class instances).
 */
export function encodeJson(value: unknown, what: string): string {
  expectJson(value, what);
  return JSON.stringify(value);
}

/**
 * Writes a value as JSON with sorted object fields, so that values are equal if and only if their texts are. Refuses what
 * {@link encodeJson} refuses.
 */
export function canonicalJson(value: unknown, what: string): string {
  expectJson(value, what);
  return JSON.stringify(sortFields(value as JsonValue));
}

/** A deep copy of a JSON value. Refuses what {@link encodeJson} refuses. */
export function cloneJson<T>(value: T, what: string): T {
  return JSON.parse(encodeJson(value, what)) as T;
}

/** Whether an object is a plain object, of this realm or another, or has no prototype. */
export function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null) return true;
  // Another realm has another Object.prototype; a class that extends null has a prototype without these methods.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

function expectJson(value: unknown, what: string): void {
  // Most values are valid, and checking without paths takes half the time.
  if (!isSound(value, 0)) check(value, what, []);
}

/** Whether a value is certainly valid JSON. */
function isSound(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  return value === null || isSoundObject(value, depth);
}

function isSoundObject(value: object, depth: number): boolean {
  if (depth >= MAX_DEPTH) return false;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isSound(value[index], depth + 1)) return false;
    return Object.keys(value).length === value.length;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key in value) {
    const field = (value as Record<string, unknown>)[key];
    if (typeof field !== 'string' && field !== undefined && !isSound(field, depth + 1)) return false;
  }
  return true;
}

/** Throws for the first value that JSON can't hold. */
function check(value: unknown, path: string, parents: readonly object[]): void {
  const what = typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`;
  if (typeof value === 'object' && value !== null) checkObject(value, path, parents);
  else expectAt(path, isSound(value, 0), what);
}

function checkObject(value: object, path: string, before: readonly object[]): void {
  expectAt(path, !before.includes(value), 'a reference to one of its own parents');
  expectAt(path, before.length < MAX_DEPTH, `a value nested deeper than ${MAX_DEPTH} levels`);
  const parents = [...before, value];
  if (Array.isArray(value)) checkArray(value, path, parents);
  else checkFields(value, path, parents);
  // Hidden or inherited, too: JSON.stringify would call it.
  const writesItself = typeof (value as { toJSON?: unknown }).toJSON === 'function';
  expectAt(path, !writesItself, 'an object with its own toJSON()');
}

function checkArray(value: unknown[], path: string, parents: readonly object[]): void {
  for (let index = 0; index < value.length; index++) {
    const at = `${path}[${index}]`;
    expectAt(at, index in value, 'a hole in a sparse array');
    check(value[index], at, parents);
  }
  expectAt(path, Object.keys(value).length === value.length, 'an array with named fields');
}

function checkFields(value: object, path: string, parents: readonly object[]): void {
  expectAt(path, isPlainObject(value), `a ${className(value)}`);
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined) check(field, fieldPath(path, key), parents);
  }
}

function sortFields(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isObject(value)) return value;
  // Object.fromEntries defines `__proto__` as an own field, where an assignment would set the prototype.
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .filter((key) => value[key] !== undefined)
      .map((key) => [key, sortFields(value[key] as JsonValue)]),
  );
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'value that is not plain';
}

function fieldPath(path: string, key: string): string {
  return /^[A-Za-z_$][\w$]{0,63}$/.test(key) ? `${path}.${key}` : `${path}[…]`;
}

function expectAt(path: string, isSo: boolean, what: string): void {
  const end = path.length > 200 ? `…${path.slice(-200)}` : path;
  expect(isSo, `${end} is ${what}, which JSON can't hold. Convert it first, to a string for example.`);
}
