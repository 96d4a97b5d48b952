import { runInNewContext } from 'node:vm';
import { memoryError } from '@keepsake/testing/memory-error';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, cloneJson, encodeJson } from '../src/adapter.ts';

const refused = (path: string, what: string) =>
  memoryError(
    'INVALID_ARGUMENT',
    `${path} is ${what}, which JSON can't hold. Convert it first, to a string for example.`,
  );

class Point {
  x = 1;
}

// A function, since a class that extends null can't be constructed without tricks.
function WithoutObjectPrototype() {}
WithoutObjectPrototype.prototype = Object.create(null, { constructor: { value: WithoutObjectPrototype } });

function cycle(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const refusals: [name: string, value: unknown, what: string][] = [
  ['NaN', Number.NaN, 'NaN'],
  ['Infinity', Number.POSITIVE_INFINITY, 'Infinity'],
  ['-Infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
  ['a BigInt', 1n, 'a bigint'],
  ['a function', () => 1, 'a function'],
  ['a symbol', Symbol('s'), 'a symbol'],
  ['a Date', new Date(0), 'a Date'],
  ['a Map', new Map([['a', 1]]), 'a Map'],
  ['a Set', new Set([1]), 'a Set'],
  ['a typed array', new Float64Array(2), 'a Float64Array'],
  ['a Buffer', Buffer.from('a'), 'a Buffer'],
  ['an ArrayBuffer', new ArrayBuffer(1), 'a ArrayBuffer'],
  ['a RegExp', /a/, 'a RegExp'],
  ['an Error', new TypeError('secret'), 'a TypeError'],
  ['a Promise', Promise.resolve(1), 'a Promise'],
  ['a boxed string', Object('a'), 'a String'],
  ['a class instance', new Point(), 'a Point'],
  ['an instance of a class without a name', new (class {})(), 'a value that is not plain'],
  [
    'an instance of a class that extends null',
    Object.create(WithoutObjectPrototype.prototype),
    'a WithoutObjectPrototype',
  ],
  ['an object that inherits fields', Object.create({ a: 1 }), 'a Object'],
  ['an array with named fields', Object.assign([1], { total: 1 }), 'an array with named fields'],
  ['a regular expression match', 'ab'.match(/a/), 'an array with named fields'],
];

describe.each([
  ['encodeJson', encodeJson],
  ['canonicalJson', canonicalJson],
  ['cloneJson', cloneJson],
] as [string, (value: unknown, what: string) => unknown][])('%s', (_, write) => {
  it.each(refusals)('refuses %s and names its path', (_name, value, what) => {
    expect(() => write(value, 'item')).toThrow(refused('item', what));
    expect(() => write({ content: [0, { deep: value }] }, 'item')).toThrow(refused('item.content[1].<field 1>', what));
  });

  it('leaves out symbol keys, because programs tag objects with them', () => {
    expect(encodeJson({ a: 1, [Symbol('s')]: 2, b: [Object.assign([3], { [Symbol('t')]: 4 })] }, 'value')).toBe(
      '{"a":1,"b":[[3]]}',
    );
  });

  it('refuses undefined, except in object fields, which are left out', () => {
    expect(() => write(undefined, 'item')).toThrow(refused('item', 'undefined'));
    expect(() => write({ a: [1, undefined] }, 'item')).toThrow(refused('item.<field 1>[1]', 'undefined'));
    const written = write({ a: undefined, b: { c: undefined } }, 'item');
    expect(typeof written === 'string' ? JSON.parse(written) : written).toStrictEqual({ b: {} });
  });

  it('refuses holes, even in an array of nothing but holes', () => {
    const sparse = [1, 2, 3];
    delete sparse[1];
    expect(() => write({ list: sparse }, 'item')).toThrow(refused('item.<field 1>[1]', 'a hole in a sparse array'));
    expect(() => write(new Array(1e9), 'item')).toThrow(refused('item[0]', 'a hole in a sparse array'));
  });

  it('refuses cycles, but accepts the same value twice', () => {
    expect(() => write(cycle(), 'item')).toThrow(refused('item.<field 1>', 'a reference to one of its own parents'));
    const list: unknown[] = [];
    list.push([list]);
    expect(() => write(list, 'item')).toThrow(refused('item[0][0]', 'a reference to one of its own parents'));
    const shared = { a: 1 };
    expect(() => write([shared, shared, { shared }], 'item')).not.toThrow();
  });

  it('accepts 500 levels, and refuses more without a stack overflow', () => {
    expect(() => write(nested(500), 'item')).not.toThrow();
    const tooDeep = memoryError('INVALID_ARGUMENT', /is a value nested deeper than 500 levels, which JSON can't hold/);
    expect(() => write(nested(501), 'item')).toThrow(tooDeep);
    expect(() => write(nested(200_000), 'item')).toThrow(tooDeep);
  });

  it('shows the names of fields that messages and records have', () => {
    expect(() => write({ role: 'user', content: [{ type: 'text', text: 1n }] }, 'item')).toThrow(
      refused('item.content[0].text', 'a bigint'),
    );
  });

  it('shows the position of every other field, because its name may come from user data', () => {
    const record = { id: 'a', metadata: { age: 7, alice_diagnosis_hiv: { since: new Date(0) } } };
    expect(() => write(record, 'item')).toThrow(refused('item.metadata.<field 2>.<field 1>', 'a Date'));
    expect(() => write({ Text: 1, 'my secret': 1n }, 'item')).toThrow(refused('item.<field 2>', 'a bigint'));
    expect(() => write({ contents: 1n }, 'item')).toThrow(refused('item.<field 1>', 'a bigint'));
  });

  it('counts fields as Object.keys does, including those that are undefined', () => {
    const value = { a: undefined, [Symbol('s')]: 1, b: 2, c: 1n };
    expect(() => write(value, 'item')).toThrow(refused('item.<field 3>', 'a bigint'));
  });

  it('refuses toJSON, which would replace the value', () => {
    expect(() => write({ toJSON: () => 'other' }, 'item')).toThrow(refused('item.<field 1>', 'a function'));
    const hidden = Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 'other' });
    expect(() => write(hidden, 'item')).toThrow(refused('item', 'an object with hidden fields'));
  });

  it.each([
    ['object', Object.prototype, {}],
    ['list', Array.prototype, []],
  ])('refuses every %s while other code makes all of them write themselves', (_name, prototype, value) => {
    Object.defineProperty(prototype, 'toJSON', { value: () => 'other', configurable: true });
    try {
      expect(() => write({ a: [value] }, 'item')).toThrow(memoryError('INVALID_ARGUMENT', /is an object with its own/));
    } finally {
      Reflect.deleteProperty(prototype, 'toJSON');
    }
  });

  it('reads each value once', () => {
    let reads = 0;
    const value = {
      list: [0],
      get once() {
        return reads++ === 0 ? { fine: -0 } : Number.NaN;
      },
    };
    const written = write(value, 'item');
    expect(typeof written === 'string' ? JSON.parse(written) : written).toStrictEqual({ list: [0], once: { fine: 0 } });
    expect(reads).toBe(1);
  });

  it('refuses a value that throws when it is read, with that error as the cause', () => {
    const cause = new Error('From the caller');
    const value = {
      list: [
        {
          get field() {
            throw cause;
          },
        },
      ],
    };
    expect(() => write(value, 'item')).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: 'item throws an error. See its cause.',
        cause,
      }),
    );
  });

  it('refuses fields that are not enumerable, which would be left out', () => {
    const hide = (value: object) => Object.defineProperty(value, 'hidden', { value: 1 });
    expect(() => write({ a: [hide({})] }, 'item')).toThrow(
      refused('item.<field 1>[0]', 'an object with hidden fields'),
    );
    expect(() => write({ a: hide([1]) }, 'item')).toThrow(refused('item.<field 1>', 'an array with named fields'));
  });

  it('shortens the path to a deeply nested value', () => {
    let value: unknown = Number.NaN;
    for (let level = 0; level < 400; level++) value = { content: value };
    expect(() => write(value, 'item')).toThrow(/^….{200} is NaN/);
  });
});

describe('JSON', () => {
  const roundTrip = (value: unknown) => JSON.parse(encodeJson(value, 'value')) as unknown;

  it.each([
    ['NUL', 'a\0b'],
    ['a lone high surrogate', 'a\ud800b'],
    ['a lone low surrogate', 'a\udc00'],
    ['line separators', '\u2028\u2029'],
    ['an emoji', '👩‍👩‍👧'],
    ['a BOM', '\ufefftext\ufeff'],
    ['quotes and backslashes', '"\\"\\u0000'],
  ])('returns %s unchanged, as a value and as a key', (_name, text) => {
    expect(roundTrip({ [text]: [text] })).toStrictEqual({ [text]: [text] });
    expect(JSON.parse(canonicalJson({ [text]: [text] }, 'value'))).toStrictEqual({ [text]: [text] });
    expect(cloneJson({ [text]: [text] }, 'value')).toStrictEqual({ [text]: [text] });
  });

  it('turns -0 into 0, and keeps large numbers as precise as JavaScript does', () => {
    expect(encodeJson(-0, 'value')).toBe('0');
    expect(Object.is(cloneJson(-0, 'value'), 0)).toBe(true);
    expect(roundTrip(2 ** 53 + 2)).toBe(9_007_199_254_740_994);
    // 2^53 + 1 is 2^53 before any of our code sees it.
    expect(roundTrip(Number('9007199254740993'))).toBe(9_007_199_254_740_992);
    expect(roundTrip([Number.MAX_VALUE, Number.MIN_VALUE])).toStrictEqual([Number.MAX_VALUE, Number.MIN_VALUE]);
  });

  it('treats __proto__ and constructor as ordinary keys that pollute nothing', () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    for (const copy of [roundTrip(hostile), cloneJson(hostile, 'value'), JSON.parse(canonicalJson(hostile, 'value'))]) {
      expect(Object.keys(copy as object).sort()).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect(Object.getOwnPropertyDescriptor(copy, '__proto__')?.value).toEqual({ polluted: true });
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('accepts objects without a prototype and from another realm', () => {
    expect(encodeJson(Object.assign(Object.create(null), { a: 1 }), 'value')).toBe('{"a":1}');
    const foreign: unknown = runInNewContext('({ a: [{ b: null }], c: "x" })');
    expect(Object.getPrototypeOf(foreign)).not.toBe(Object.prototype);
    expect(encodeJson(foreign, 'value')).toBe('{"a":[{"b":null}],"c":"x"}');
    expect(() => encodeJson(runInNewContext('({ a: new Date(0) })'), 'value')).toThrow(
      refused('value.<field 1>', 'a Date'),
    );
    expect(() => encodeJson(runInNewContext('new Map()'), 'value')).toThrow(refused('value', 'a Map'));
  });

  it('keeps the order of fields', () => {
    expect(encodeJson({ b: 1, a: { d: 1, c: 2 } }, 'value')).toBe('{"b":1,"a":{"d":1,"c":2}}');
  });
});

const anyJson = fc.jsonValue({ stringUnit: 'binary', maxDepth: 5 });

describe('generated values', () => {
  it('come back unchanged', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(encodeJson(value, 'value'))).toStrictEqual(plain);
        expect(cloneJson(value, 'value')).toStrictEqual(plain);
      }),
    );
  });

  it('have one canonical text, regardless of field order', () => {
    fc.assert(
      fc.property(anyJson, fc.infiniteStream(fc.nat()), (value, randoms) => {
        const shuffled = shuffleFields(value, randoms);
        expect(canonicalJson(shuffled, 'value')).toBe(canonicalJson(value, 'value'));
        expect(JSON.parse(canonicalJson(value, 'value'))).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('have the same canonical text only if they are equal', () => {
    // Few keys and leaves, so that pairs are often equal.
    const { value: small } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 2, withCrossShrink: true },
        fc.constantFrom(null, 0, 1, '1', ''),
        tie('array'),
        tie('object'),
      ),
      array: fc.array(tie('value'), { maxLength: 2 }),
      object: fc.dictionary(fc.constantFrom('a', 'b', '1'), tie('value'), { maxKeys: 2 }),
    }));
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(canonicalJson(a, 'a') === canonicalJson(b, 'b')).toBe(deepEqual(a, b));
      }),
      { numRuns: 1_000 },
    );
    // Generated pairs are rarely almost equal; these are.
    for (const [a, b] of [
      [{ a: 1 }, { a: '1' }],
      [[], {}],
      [{ a: null }, {}],
      [
        [1, [2]],
        [[1], 2],
      ],
      [
        { '1': 1, a: 2 },
        { '1': 2, a: 1 },
      ],
      [{ a: { b: 1 } }, { a: {}, b: 1 }],
    ]) {
      expect(canonicalJson(a, 'a')).not.toBe(canonicalJson(b, 'b'));
    }
  });

  it('share no objects with their clones', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const originals = new Set(objectsIn(value));
        expect(objectsIn(cloneJson(value, 'value')).filter((object) => originals.has(object))).toEqual([]);
      }),
    );
  });
});

function shuffleFields(value: unknown, randoms: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map((element) => shuffleFields(element, randoms));
  if (typeof value !== 'object' || value === null) return value;
  const order = Object.keys(value).map((key) => ({ key, rank: randoms.next().value as number }));
  order.sort((a, b) => a.rank - b.rank);
  return Object.fromEntries(
    order.map(({ key }) => [key, shuffleFields((value as Record<string, unknown>)[key], randoms)]),
  );
}

function deepEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [keysOfA, keysOfB] = [Object.keys(a), Object.keys(b)];
  return (
    keysOfA.length === keysOfB.length &&
    keysOfA.every(
      (key) =>
        Object.hasOwn(b, key) && deepEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
