import { MemoryError } from './errors.ts';

/** Anything that JSON can hold. */
export type JsonValue = string | number | boolean | null | JsonObject | JsonValue[];

/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

/** How deep values may nest. Deeper ones are refused, because parsers of some backends overflow on them. */
const MAX_DEPTH = 500;
const TOO_DEEP = `a value nested deeper than ${MAX_DEPTH} levels`;

/**
 * Writes a value as JSON, keeping the order of its fields, and refuses what `JSON.stringify` would change without
 * saying so.
 *
 * `undefined` fields of objects are left out and -0 becomes 0. Everything else comes back from `JSON.parse` as it was,
 * `__proto__` fields, NUL and lone surrogates included.
 *
 * @param what - Names the value in error messages, e.g. `items[2]`.
 * @throws MemoryError `INVALID_ARGUMENT` with the path to the first value that JSON can't hold: NaN, Infinity, BigInt,
 *   functions, symbols, `undefined` outside of object fields, sparse arrays, cycles, nesting deeper than 500 levels, and
 *   objects that aren't plain (Date, Map, typed arrays, class instances).
 */
export function encodeJson(value: unknown, what: string): string {
  check(value, what);
  return JSON.stringify(value);
}

/**
 * Writes a value as JSON with the fields of every object in one order, so that two values are the same if and only if
 * their texts are. Refuses what {@link encodeJson} refuses.
 */
export function canonicalJson(value: unknown, what: string): string {
  check(value, what);
  return JSON.stringify(sortFields(value as JsonValue));
}

/** A copy of a JSON value that shares nothing with it. Refuses what {@link encodeJson} refuses. */
export function cloneJson<T>(value: T, what: string): T {
  return JSON.parse(encodeJson(value, what)) as T;
}

/** Whether an object is a literal, of this realm or another, or has no prototype. */
export function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === Object.prototype || prototype === null) return true;
  // Another realm has another Object.prototype; a class that extends null has a prototype without these methods.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

function check(value: unknown, what: string): void {
  const found = findFault(value, 0);
  if (found === undefined) return;
  // What holds itself looks like what is nested too deep, until one looks for it.
  const fault = found.what === TOO_DEEP ? (findFault(value, 0, []) ?? found) : found;
  const path = what + fault.path;
  const end = path.length > 200 ? `…${path.slice(-200)}` : path;
  throw new MemoryError(
    'INVALID_ARGUMENT',
    `${end} is ${fault.what}, which JSON can't hold. Convert it first, to a string for example.`,
  );
}

/** The first value that JSON can't hold. Its path is put together on the way back to the root: mostly there is none. */
interface Fault {
  readonly what: string;
  readonly path: string;
}

function findFault(value: unknown, depth: number, parents?: object[]): Fault | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : fault(String(value));
    case 'object':
      return value === null ? undefined : findFaultIn(value, depth, parents);
    default:
      return fault(value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function findFaultIn(value: object, depth: number, parents?: object[]): Fault | undefined {
  if (parents?.includes(value)) return fault('a reference to one of its own parents');
  if (depth >= MAX_DEPTH) return fault(TOO_DEEP);
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length > 0 && symbols.some((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol)))
    return fault('a value with a field named by a symbol');
  parents?.push(value);
  const found = Array.isArray(value)
    ? findFaultInArray(value, depth + 1, parents)
    : findFaultInFields(value, depth + 1, parents);
  parents?.pop();
  if (found !== undefined) return found;
  // One that is hidden or inherited: JSON.stringify would call it.
  const writesItself = typeof (value as { toJSON?: unknown }).toJSON === 'function';
  return writesItself ? fault('an object that writes itself by toJSON') : undefined;
}

function findFaultInArray(value: unknown[], depth: number, parents?: object[]): Fault | undefined {
  for (let index = 0; index < value.length; index++) {
    const isHole = value[index] === undefined && !(index in value);
    const found = isHole ? fault('a hole in a sparse array') : findFault(value[index], depth, parents);
    if (found !== undefined) return fault(found.what, `[${index}]${found.path}`);
  }
  return Object.keys(value).length > value.length ? fault('an array with named fields') : undefined;
}

function findFaultInFields(value: object, depth: number, parents?: object[]): Fault | undefined {
  if (!isPlainObject(value)) return fault(`a ${className(value)}`);
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined) continue;
    const found = findFault(field, depth, parents);
    if (found !== undefined) return fault(found.what, `${pathOf(key)}${found.path}`);
  }
  return undefined;
}

function fault(what: string, path = ''): Fault {
  return { what, path };
}

function sortFields(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null) return value;
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

function pathOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) && key.length <= 64 ? `.${key}` : '[…]';
}
