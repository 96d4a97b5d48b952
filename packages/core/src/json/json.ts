import { fieldPath, isObject } from '@keepsake/internal';
import { expect } from '../common/expect.ts';
import { guarded } from '../common/read-values.ts';

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
 * Writes a value as JSON, keeping the order of its fields. Refuses values that `JSON.stringify` would silently change. Reads
 * each part of the value once, so that what it checks is what it writes.
 *
 * Leaves out object fields that are `undefined` or named by a symbol, and turns -0 into 0. Everything else comes back
 * unchanged from `JSON.parse`, including `__proto__` fields, NUL and lone surrogates.
 *
 * @param what - Names the value in error messages, e.g. `items[2]`.
 * @throws MemoryError `INVALID_ARGUMENT` with the path to the first value that JSON can't hold: NaN, Infinity, BigInt,
 *   functions, symbols, `undefined` outside of object fields, sparse arrays, cycles, nesting deeper than 500 levels, fields
 *   that are not enumerable, and objects that aren't plain (Date, Map, typed arrays, class instances); or with the error of a
 *   getter or proxy that throws as the cause.
 */
export function encodeJson(value: unknown, what: string): string {
  return JSON.stringify(readJson(value, what));
}

/**
 * Writes a value as JSON with sorted object fields, so that values are equal if and only if their texts are. Refuses what
 * {@link encodeJson} refuses.
 */
export function canonicalJson(value: unknown, what: string): string {
  return JSON.stringify(sortFields(readJson(value, what)));
}

/** A deep copy of a JSON value. Refuses what {@link encodeJson} refuses. */
export function cloneJson<T>(value: T, what: string): T {
  return readJson(value, what) as T;
}

/** A deep copy as of {@link cloneJson}. Refuses fields that {@link encodeJson} would leave out, too. */
export function cloneStrictJson<T>(value: T, what: string): T {
  return guarded(what, () => copyOf(value, [{ name: what, strict: true }])) as T;
}

/** Whether an object is a plain object, of this realm or another, or has no prototype. */
export function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null || prototype === Object.prototype) return true;
  // Another realm has another Object.prototype; a class that extends null has a prototype without these methods.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

function readJson(value: unknown, what: string): JsonValue {
  return guarded(what, () => copyOf(value, [{ name: what }]));
}

/** The way to a value: what is read, then for each object around the value, the object and the field in it. */
type Trail = {
  name: string | number;
  /** The position of a named field, from 1. */
  at?: number;
  readonly object?: object;
  readonly strict?: boolean;
}[];

function copyOf(value: unknown, trail: Trail): JsonValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  // Plus 0 makes 0 of -0.
  if (Number.isFinite(value)) return (value as number) + 0;
  if (typeof value === 'object') return copyOfObject(value, trail);
  return refuse(trail, typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`);
}

function copyOfObject(object: object, trail: Trail): JsonValue {
  for (const step of trail) if (step.object === object) refuse(trail, 'a reference to one of its own parents');
  if (trail.length > MAX_DEPTH) refuse(trail, `a value nested deeper than ${MAX_DEPTH} levels`);
  // Other code may have added it to the prototype of all lists or objects: JSON.stringify would call it.
  if ('toJSON' in []) refuse(trail, 'an object with its own toJSON()');
  return Array.isArray(object) ? copyOfList(object, trail) : copyOfFields(object, trail);
}

function copyOfList(object: readonly unknown[], trail: Trail): JsonValue[] {
  const { length } = object;
  const count = Object.getOwnPropertyNames(object).length - 1;
  const copy: JsonValue[] = [];
  const step = { object, name: 0 };
  trail.push(step);
  // A list with fewer elements than its length has a hole among the first of them.
  for (; step.name < length && step.name <= count; step.name++) {
    const element = object[step.name];
    if (element === undefined && !(step.name in object)) refuse(trail, 'a hole in a sparse array');
    copy.push(copyOf(element, trail));
  }
  trail.pop();
  if (count !== length) refuse(trail, 'an array with named fields');
  return copy;
}

function copyOfFields(object: object, trail: Trail): JsonObject {
  if (!isPlainObject(object)) refuse(trail, `a ${className(object)}`);
  const names = Object.keys(object);
  const strict = trail[0]?.strict;
  let copy: JsonObject = {};
  const step = { object, name: '', at: 0 };
  trail.push(step);
  for (const name of names) {
    const field = (object as Record<string, unknown>)[name];
    step.name = name;
    step.at++;
    if (field === undefined && !strict) continue;
    const value = copyOf(field, trail);
    // An assignment would set the prototype.
    if (name === '__proto__') copy = { ...copy, [name]: value };
    else copy[name] = value;
  }
  trail.pop();
  const all = strict ? Reflect.ownKeys(object) : Object.getOwnPropertyNames(object);
  if (all.length > names.length) refuse(trail, 'an object with hidden fields');
  return copy;
}

function sortFields(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isObject(value)) return value;
  // Object.fromEntries defines `__proto__` as an own field, where an assignment would set the prototype.
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sortFields(value[name] as JsonValue)]));
}

function refuse(trail: Trail, misfit: string): never {
  const steps = trail.map(({ name, at, object }) => {
    if (at) return fieldPath(name as string, at);
    return object ? `[${name}]` : name;
  });
  const path = steps.join('');
  const end = path.length > 200 ? `…${path.slice(-200)}` : path;
  expect(false, `${end} is ${misfit}, which JSON can't hold. Convert it first, to a string for example.`);
}

function className(value: object): string {
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'value that is not plain';
}
