/** The error of the caller's code that a {@link throwing} object runs. */
export class CallerError extends Error {}

export function fail(): never {
  throw new CallerError('The code of the caller fails.');
}

/** The same object with a field that throws when it is read. */
export function throwing<Value extends object>(value: Value, field: PropertyKey): Value {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  return Object.defineProperty(copy, field, { get: fail, enumerable: true }) as Value;
}

/** The same object as a proxy that throws whatever is asked. */
export function throwingProxy<Value extends object>(value: Value): Value {
  return new Proxy(value, new Proxy({}, { get: () => fail }));
}

/** The same object as a proxy whose fields have another value when they are read again. */
export function shifting<Value extends object>(value: Value, later: unknown): Value {
  const read = new Set<PropertyKey>();
  return new Proxy(value, {
    get(target, name) {
      if (read.has(name)) return later;
      read.add(name);
      return Reflect.get(target, name);
    },
  });
}
