/*
 * LangGraph's serializer takes every object with a field `lc` for one of its own records: it would make a message, a set or
 * nothing of what a user sent, or fail. So plain objects with that field are written as the list of their fields.
 */

const MARK = '__keepsake_plain__';

type Fields = Record<string, unknown>;

/** The value without plain objects that LangGraph would take for its own; the same one if it has none. */
export function escaped(value: unknown, within: ReadonlySet<unknown> = new Set()): unknown {
  // The serializer deals with circles.
  if (typeof value !== 'object' || value === null || within.has(value)) return value;
  const below = new Set(within).add(value);
  const inner = (one: unknown) => escaped(one, below);
  if (Array.isArray(value)) return changed(value, inner) ?? value;
  if (value instanceof Map) return mapped(value, (all) => new Map(all as [unknown, unknown][]), inner);
  if (value instanceof Set) return mapped(value, (all) => new Set(all), inner);
  if ('lc_serializable' in value && 'toJSON' in value) return escapedSerializable(value as Serializable, inner);
  if ('toJSON' in value || ArrayBuffer.isView(value) || value instanceof Error || value instanceof RegExp) return value;
  const own = changedFields(value as Fields, inner);
  if (isPlain(value) && (Object.hasOwn(value, 'lc') || Object.hasOwn(value, MARK)))
    return { [MARK]: Object.entries(own ?? value) };
  return own === undefined ? value : Object.assign(Object.create(Object.getPrototypeOf(value)), own);
}

/** What {@link escaped} was given, from what the serializer read. Changes the value. */
export function unescaped(value: unknown, seen: Set<unknown> = new Set()): unknown {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value;
  seen.add(value);
  const inner = (one: unknown) => unescaped(one, seen);
  if (Array.isArray(value)) return changed(value, inner) ?? value;
  if (value instanceof Map) return mapped(value, (all) => new Map(all as [unknown, unknown][]), inner);
  if (value instanceof Set) return mapped(value, (all) => new Set(all), inner);
  if (ArrayBuffer.isView(value)) return value;
  const { [MARK]: listed, ...others } = value as Fields;
  if (Array.isArray(listed) && Object.keys(others).length === 0)
    return Object.fromEntries(listed.map(([name, one]: [string, unknown]) => [name, inner(one)]));
  return Object.assign(value, changedFields(value as Fields, inner));
}

/** An object of LangChain, which writes itself as a record. */
interface Serializable {
  toJSON(): { readonly type: string; readonly kwargs?: Fields };
}

function escapedSerializable(value: Serializable, inner: (one: unknown) => unknown): unknown {
  const record = value.toJSON();
  const kwargs = record.kwargs && changedFields(record.kwargs, inner);
  return kwargs === undefined ? value : { ...record, kwargs };
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The list with each value replaced; `undefined` if all stay. */
function changed(list: readonly unknown[], replace: (one: unknown) => unknown): unknown[] | undefined {
  const replaced = list.map(replace);
  return replaced.some((one, index) => one !== list[index]) ? replaced : undefined;
}

function changedFields(value: Fields, replace: (one: unknown) => unknown): Fields | undefined {
  const names = Object.keys(value);
  const fields = changed(Object.values(value), replace);
  return fields && Object.fromEntries(names.map((name, index) => [name, fields[index]]));
}

function mapped<All extends Iterable<unknown>>(
  all: All,
  from: (all: unknown[]) => All,
  replace: (one: unknown) => unknown,
): All {
  const replaced = changed([...all], replace);
  return replaced === undefined ? all : from(replaced);
}
