import { describe, expect, it } from 'vitest';

/**
 * A call, and a valid argument of it. The call must pass the argument on before it waits for anything. Plain objects and
 * lists are data, at any depth; everything else is passed by reference, such as functions and stores.
 */
export type ReadOnceCase = readonly [of: string, call: (argument: never) => unknown, argument: object];

/** Tests that each call reads every value of its argument once, before it returns, and refuses values that throw. */
export function readsValuesOnce(cases: readonly ReadOnceCase[]): void {
  describe.each(cases)('%s', (_, call, argument) => {
    it('refuses an argument that throws when it is read', async () => {
      const cause = new Error('From the caller');
      for (const [path, version] of throwingVersions(argument, cause)) {
        await expect((async () => call(version))(), path).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', cause });
      }
    });

    it('reads each value once, before it returns', async () => {
      const expected = await outcomeOf(() => call(argument as never));
      for (const [path, { version, reads }] of countingVersions(argument)) {
        let readAtFirst = 0;
        const outcome = await outcomeOf(() => {
          try {
            return call(version);
          } finally {
            readAtFirst = reads();
          }
        });
        expect(outcome, path).toEqual(expected);
        expect([readAtFirst, reads()], `${path}: reads until the call returned, and in total`).toEqual([1, 1]);
      }
    });
  });
}

type Version<Made> = readonly [path: string, made: Made];

/** The argument with an object that throws at any access, or a field whose getter throws, at each place. */
function throwingVersions(argument: object, cause: Error): Version<never>[] {
  const fail = () => {
    throw cause;
  };
  const traps = new Proxy({}, { get: () => fail });
  const objects = replacedObjects(argument, (object) => new Proxy(object, traps));
  const fields = placesOf(argument).map(([path, replace]) => [path, replace(() => fail)] as const);
  return [...objects, ...fields] as Version<never>[];
}

/** The argument with a field whose getter counts its reads and gives something else from the second on, at each place. */
function countingVersions(argument: object): Version<{ readonly version: never; readonly reads: () => number }>[] {
  return placesOf(argument).map(([path, replace]) => {
    let reads = 0;
    const version = replace((value) => () => (reads++ === 0 ? value : Symbol('read again')));
    return [path, { version: version as never, reads: () => reads }];
  });
}

async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return { result: await call() };
  } catch (error) {
    return { error: String(error) };
  }
}

type GetterFor = (value: unknown) => () => unknown;

/** The fields of data at any depth, each with a function that returns a copy of the data with a getter in its place. */
function placesOf(value: object, above = ''): Version<(getter: GetterFor) => object>[] {
  return Object.entries(value).flatMap(([name, field]) => {
    const path = above === '' ? name : `${above}.${name}`;
    const here = (getter: GetterFor) => withField(value, name, { get: getter(field), enumerable: true });
    const inside = isData(field) ? placesOf(field, path) : [];
    const deeper = inside.map(([at, replace]): Version<(getter: GetterFor) => object> => {
      return [at, (getter) => withField(value, name, { value: replace(getter), enumerable: true })];
    });
    return [[path, here] as const, ...deeper];
  });
}

function replacedObjects(value: object, replace: (object: object) => object, path = 'the argument'): Version<object>[] {
  const inside = Object.entries(value).flatMap(([name, field]) => {
    const versions = isData(field) ? replacedObjects(field, replace, `${path}.${name}`) : [];
    return versions.map(([at, version]) => [at, withField(value, name, { value: version, enumerable: true })] as const);
  });
  return [[path, replace(value)], ...inside];
}

function withField(value: object, name: string, descriptor: PropertyDescriptor): object {
  return Object.defineProperty(Array.isArray(value) ? [...(value as unknown[])] : { ...value }, name, descriptor);
}

function isData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
