import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';
import fc from 'fast-check';

/** An error of the caller's own code. */
class CallerError extends Error {}

function fail(): never {
  throw new CallerError('The code of the caller fails.');
}

/** The answers of a getter or a proxy when it is read again. Valid nowhere. */
const LATER = Symbol('read again');

/** Replaces each object and each field of an argument by one that runs code. Gets the value that was there. */
interface Replacements {
  objects(value: object): readonly (readonly [name: string, object: object])[];
  field(value: unknown): () => unknown;
}

const THROWING: Replacements = {
  objects(value) {
    const { proxy, revoke } = Proxy.revocable(value, {});
    revoke();
    const traps = new Proxy({}, { get: () => fail });
    return [
      ['a proxy that throws', new Proxy(value, traps)],
      ['a proxy whose fields throw', new Proxy(value, { get: fail })],
      ['a revoked proxy', proxy],
    ];
  },
  field: () => fail,
};

const SHIFTING: Replacements = {
  objects(value) {
    const read = new Set<unknown>();
    const get = (target: object, name: string | symbol) => {
      if (read.has(name)) return LATER;
      read.add(name);
      return Reflect.get(target, name) as unknown;
    };
    return [['a proxy that changes its answers', new Proxy(value, { get })]];
  },
  field(value) {
    let reads = 0;
    return () => (reads++ === 0 ? value : LATER);
  },
};

/** All versions of an argument in which one object or one field, at any depth, is replaced. */
function versionsOf(value: unknown, by: Replacements, where = 'argument'): [where: string, version: unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const at = `${where}.${name}`;
    const getter = { get: by.field(field), enumerable: true, configurable: true };
    const inside = versionsOf(field, by, at).map(
      ([path, version]) => [path, withField(value, name, { value: version, enumerable: true })] as const,
    );
    return [[`${at} as a getter`, withField(value, name, getter)] as const, ...inside];
  });
  const objects = by.objects(value).map(([name, object]) => [`${where} as ${name}`, object] as const);
  return [...objects, ...fields].map(([path, version]) => [path, version]);
}

function withField(value: object, name: string, descriptor: PropertyDescriptor): object {
  return Object.defineProperty(Array.isArray(value) ? [...(value as unknown[])] : { ...value }, name, descriptor);
}

/**
 * Asserts that a call is refused if any part of its argument throws when it is read, with that error as the cause. The
 * argument must be valid.
 */
export async function refusesThrowing<Argument>(
  argument: Argument,
  call: (argument: Argument) => unknown,
): Promise<void> {
  for (const [where, version] of versionsOf(argument, THROWING)) {
    let failure: unknown;
    try {
      await call(version as Argument);
    } catch (error) {
      failure = error;
    }
    assert.ok(
      isMemoryError(failure, 'INVALID_ARGUMENT'),
      `${where}: expected INVALID_ARGUMENT, not ${String(failure)}`,
    );
    const { cause } = failure;
    // The engine throws for a revoked proxy.
    assert.ok(cause instanceof CallerError || cause instanceof TypeError, `${where}: the cause is missing`);
  }
}

/** Asserts that a call reads each part of its argument once: its result does not depend on what another read answers. */
export async function readsOnce<Argument>(
  argument: Argument,
  call: (argument: Argument) => Promise<unknown>,
): Promise<void> {
  const expected = await call(argument);
  for (const [where, version] of versionsOf(argument, SHIFTING)) {
    assert.deepEqual(await call(version as Argument), expected, where);
  }
}

/** An object with a field that neither `Object.keys` nor JSON sees. */
export function withHidden<Value extends object>(value: Value, name: string, hidden: unknown): Value {
  return Object.defineProperty(value, name, { value: hidden, enumerable: false });
}

class Point {
  x = 1;

  toJSON(): unknown {
    return fail();
  }
}

/** Values that are not JSON, or that run code of the caller, by name. */
const NOT_JSON: Readonly<Record<string, () => unknown>> = {
  nan: () => Number.NaN,
  infinity: () => Number.NEGATIVE_INFINITY,
  bigint: () => 1n,
  symbol: () => Symbol('s'),
  function: () => fail,
  date: () => new Date(0),
  invalidDate: () => new Date(Number.NaN),
  map: () => new Map([['a', 1]]),
  generator: () => [1].values(),
  instance: () => new Point(),
  inheritor: () => Object.create({ a: 1 }) as unknown,
  thenable: () => ({ toString: fail }),
  writesItself: () => ({ a: 1, toJSON: fail }),
  hiddenToJson: () => withHidden({ a: 1 }, 'toJSON', fail),
  hiddenField: () => withHidden({ a: 1 }, 'b', 2),
  hiddenInList: () => withHidden([1], 'b', 2),
  sparse: () => Object.assign(new Array<number>(3), { 0: 1, 2: 3 }),
  endless: () => new Array<number>(2 ** 32 - 1),
  named: () => Object.assign([1], { b: 2 }),
  undefinedInList: () => [undefined],
  cycle() {
    const cycle: { self?: unknown } = {};
    cycle.self = [cycle];
    return cycle;
  },
  deep() {
    let value: unknown = 1;
    for (let level = 0; level < 600; level++) value = level % 2 === 0 ? [value] : { value };
    return value;
  },
  getter: () => Object.defineProperty({}, 'a', { get: fail, enumerable: true }),
  getterInList: () => Object.defineProperty([1], '0', { get: fail }),
  throwing: () => THROWING.objects({ a: 1 })[0]?.[1],
  throwingList: () => THROWING.objects([1])[1]?.[1],
  revoked: () => THROWING.objects({})[2]?.[1],
  revokedList: () => THROWING.objects([])[2]?.[1],
};

/** Puts a value into an object or a list, among others. */
const wrapper = fc.oneof(
  fc
    .tuple(fc.string(), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }))
    .map(([name, others]) => (value: unknown) => ({ ...others, [name]: value })),
  fc.array(fc.jsonValue(), { maxLength: 2 }).map((others) => (value: unknown) => [...others, value]),
);

/** Objects with a value that must be refused somewhere inside; generated as functions, because they can't be printed. */
export const unfitObjects: fc.Arbitrary<() => object> = fc
  .tuple(fc.array(wrapper, { maxLength: 4 }), fc.constantFrom(...Object.keys(NOT_JSON)))
  .map(([wrappers, name]) => {
    const make = () => ({ unfit: wrappers.reduce((value, wrap) => wrap(value), NOT_JSON[name]?.()) });
    return Object.assign(make, { [fc.toStringMethod]: () => `${name} in ${wrappers.length} levels` });
  });
