import { type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { encodeItems } from '@keepsake/core/adapter';
import { ReferenceSession } from '../reference.ts';
import { appending, decoding, type Mutant, type Mutants, type TransactionArgs, transacting } from './mutant.ts';
import { remembering } from './transactions.ts';

/** Returns items with changed JSON. */
const textual = (change: (text: string) => string) => decoding((text) => JSON.parse(change(text)) as JsonObject);

/** Returns items with changed values, at every depth; `undefined` drops the field. */
const revived = (change: (value: JsonValue, key: string) => JsonValue | undefined) =>
  decoding((text) => JSON.parse(text, (key, value: JsonValue) => change(value, key)) as JsonObject);

/** Returns items with changed strings, including keys. */
const retexted = (change: (text: string) => string) =>
  decoding((text) => withTexts(JSON.parse(text), change) as JsonObject);

function withTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [change(key), withTexts(one, change)]));
}

/** Copies fields by assignment, which sets the prototype if the field is `__proto__`. */
function assigned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(assigned);
  if (typeof value !== 'object' || value === null) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) copy[key] = assigned(value[key] as JsonValue);
  return copy;
}

/** Encodes items in a way that is not JSON. */
function encoding(encode: (items: readonly object[], what?: string) => string[]): Mutant {
  return class extends ReferenceSession {
    protected override encode(items: readonly object[], what?: string): string[] {
      return encode(items, what);
    }
  };
}

const stringified = (replace: (value: unknown) => unknown) =>
  encoding((items) => items.map((item) => JSON.stringify(item, (_, value: unknown) => replace(value))));

const isEmpty = (value: JsonValue) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

export const jsonMutants: Mutants = {
  'every kind of JSON value comes back, however nested': revived((value) => (value === true ? 1 : value)),
  'empty objects, lists, texts and keys come back': [
    revived((value, key) => (key !== '' && isEmpty(value) ? undefined : value)),
    decoding((text) => {
      const { '': _, ...item } = JSON.parse(text) as JsonObject;
      return item;
    }),
  ],
  'null is kept apart from a missing field': revived((value) => (value === null ? undefined : value)),
  'numbers, booleans and texts that look alike are kept apart': revived((value) =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
  ),
  'text of all of Unicode comes back': [
    retexted((text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?')),
    retexted((text) => text.replace(/^\ufeff/, '')),
    retexted((text) => text.replaceAll('\u2028', '\n')),
  ],
  'text is never normalised, in values or keys': retexted((text) => text.normalize('NFC')),
  'line breaks, quotes and backslashes come back': [
    retexted((text) => text.replaceAll('\r\n', '\n')),
    retexted((text) => text.trim()),
    retexted((text) => text.replaceAll('\\n', '\n')),
  ],
  'NUL characters come back, in values and keys': [
    retexted((text) => text.replaceAll('\0', '')),
    retexted((text) => text.split('\0')[0] as string),
  ],
  'lone surrogates come back, in values and keys': retexted((text) => text.toWellFormed()),
  'text that means something to databases, shells and templates is only text': [
    textual((text) => 'JSON'.replace('JSON', text)),
    retexted((text) => text.replaceAll('%s', 'undefined')),
    retexted((text) => text.replaceAll('\\x00', '\0')),
  ],
  'field names of any form come back': decoding((text) =>
    Object.fromEntries(
      Object.entries(JSON.parse(text) as JsonObject).map(([key, value]) => [key.replace('.', '_'), value]),
    ),
  ),
  'names of built-in object properties are ordinary fields': decoding((text) =>
    Object.fromEntries(Object.entries(JSON.parse(text) as JsonObject).filter(([key]) => !(key in Object.prototype))),
  ),
  'numbers come back to the last bit': [
    revived((value) => (typeof value === 'number' ? Number(value.toPrecision(15)) : value)),
    revived((value) => (typeof value === 'number' ? Math.fround(value) : value)),
  ],
  '-0 comes back as 0': encoding((items) =>
    items.map((item) =>
      JSON.stringify(item, (_, value: unknown) => (Object.is(value, -0) ? 'minus 0' : value)).replaceAll(
        '"minus 0"',
        '-0',
      ),
    ),
  ),
  'fields that are undefined are left out, at every depth': stringified((value) =>
    value === undefined ? null : value,
  ),
  'an object without a prototype is an ordinary object': encoding((items, what) => {
    if (items.some((item) => Object.getPrototypeOf(item) === null))
      throw new MemoryError('INVALID_ARGUMENT', 'no class');
    return encodeItems(items, what);
  }),
  'deep nesting comes back': [
    decoding(
      (text) => JSON.parse(text.replaceAll(/(\{"list":\[){50}/g, '').replaceAll(/(\]\}){50}/g, '')) as JsonObject,
    ),
  ],
  'what providers put into items comes back': [
    revived((value, key) => (key === 'providerData' ? undefined : value)),
    retexted((text) => text.slice(0, 65_535)),
  ],
  'a field named __proto__ comes back as an own field, and pollutes nothing': decoding(
    (text) => assigned(JSON.parse(text) as JsonObject) as JsonObject,
  ),
  'an object that appears twice comes back as two': decoding((text) => {
    const known = new Map<string, JsonValue>();
    return JSON.parse(text, (_, value: JsonValue) => {
      const key = JSON.stringify(value);
      if (!known.has(key)) known.set(key, value);
      return known.get(key);
    }) as JsonObject;
  }),
  'an item that appears twice in a batch is stored twice': appending((items, added) => [...items, ...new Set(added)]),
};

/** Accepts invalid items, and stores something else. */
function converting(refused: (value: unknown) => boolean, convert: (value: unknown) => unknown): Mutant {
  const replace = (value: unknown, parents: readonly unknown[]): unknown => {
    if (refused(value)) return convert(value);
    if (typeof value !== 'object' || value === null || parents.includes(value)) return value;
    const inside = [...parents, value];
    if (Array.isArray(value)) return refused(value) ? convert(value) : Array.from(value, (one) => replace(one, inside));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replace(one, inside)]));
  };
  return encoding((items, what) => encodeItems(replace(items, []) as object[], what));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isClass = (name: string) => (value: unknown) => isObject(value) && value.constructor?.name === name;
const isBytes = (value: unknown) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
const toJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

/** Refuses invalid items with another error. */
function refusing(other: (error: MemoryError) => unknown): Mutant {
  return encoding((items, what) => {
    try {
      return encodeItems(items, what);
    } catch (error) {
      throw other(error as MemoryError);
    }
  });
}

export const notJsonMutants: Mutants = {
  'NaN and the infinities are refused, not turned into null': [
    converting((value) => Number.isNaN(value), toJson),
    converting((value) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY, toJson),
  ],
  'bigints are refused': [
    converting((value) => typeof value === 'bigint', String),
    refusing(() => new TypeError('Do not know how to serialize a BigInt')),
  ],
  'functions and symbols are refused, not left out': [
    converting(
      (value) => typeof value === 'function',
      () => null,
    ),
    converting(
      (value) => typeof value === 'symbol',
      () => null,
    ),
  ],
  'dates, maps, sets and patterns are refused, not turned into strings or {}': [
    converting(isClass('Date'), toJson),
    converting(isClass('Map'), toJson),
    converting(isClass('Set'), (set) => [...(set as Set<unknown>)]),
  ],
  'bytes are refused, not turned into objects': converting(isBytes, toJson),
  'instances of classes are refused': [converting(isClass('Point'), toJson), converting(isClass('Error'), toJson)],
  'boxed values are refused, not unboxed': converting((value) => isObject(value) && value.valueOf() !== value, toJson),
  'undefined in a list is refused, not turned into null': converting(
    (value) => Array.isArray(value) && value.some((one, index) => one === undefined && index in value),
    toJson,
  ),
  'lists with holes are refused, not filled': converting(
    (value) => Array.isArray(value) && Object.keys(value).length < value.length,
    toJson,
  ),
  'lists with named fields are refused, not stripped': converting(
    (value) => Array.isArray(value) && 'note' in value,
    toJson,
  ),
  'fields that are not enumerable are refused, not left out': encoding((items, what) =>
    encodeItems(items.map(toJson) as object[], what),
  ),
  'cycles are refused': refusing(() => new RangeError('Maximum call stack size exceeded')),
  'nesting that would overflow the stack is refused': refusing(
    () => new RangeError('Maximum call stack size exceeded'),
  ),
  'an item that is not a plain object is refused': encoding((items, what) =>
    encodeItems(Array.isArray(items) ? (items.map(toJson) as object[]) : items, what),
  ),
  'a refusal has the path of the invalid value, with positions for the names of unknown fields': [
    refusing((error) => new MemoryError(error.code, 'The items hold what JSON cannot hold.')),
    // A value of the item in the message is a leak.
    refusing((error) => new MemoryError(error.code, `${error.message} It stands beside sentinel-5f0c2a.`)),
  ],
  'transactions, mutations and compaction refuse what JSON cannot hold, and change nothing': [
    class extends ReferenceSession {
      override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
        await this.change(() => ({ items: [] }));
        await super.replaceHistoryWithCompaction(items);
      }
    },
    class extends ReferenceSession {
      override applyHistoryTransaction(args: TransactionArgs): Promise<void> {
        return super.applyHistoryTransaction(toJson(args) as TransactionArgs);
      }
    },
    class extends ReferenceSession {
      override applyHistoryMutations(args: Parameters<ReferenceSession['applyHistoryMutations']>[0]): Promise<void> {
        return super.applyHistoryMutations(toJson(args) as typeof args);
      }
    },
  ],
};

const copiesByIterator = encoding((items, what) => encodeItems([...items], what));

export const hostileValueMutants: Mutants = {
  'items that throw when they are read are refused, and nothing is added': copiesByIterator,
  'changes whose arguments throw when they are read are refused, and nothing changes': [
    transacting((args) => ({ ...args })),
    copiesByIterator,
  ],
  'items are read once: what was checked is what is stored': encoding((items, what) => {
    JSON.stringify(items);
    return encodeItems(items, what);
  }),
  'the arguments of changes are read once': transacting((args) => {
    JSON.stringify(args);
    return args;
  }),
  'unknown and hidden fields of a transaction are refused, also if its id is known': [
    transacting(({ operationId, transaction }) => ({ operationId, transaction })),
    transacting((args) => {
      const { type, items } = args.transaction as Extract<TransactionArgs['transaction'], { type: 'append_items' }>;
      return type === 'append_items' ? { ...args, transaction: { type, items } } : args;
    }),
  ],
  'an operation id with an item that has another field is a conflict': remembering(
    ({ transaction }) => JSON.stringify(transaction, ['type', 'items', 'content']),
    ({ operationId }) => operationId,
  ),
  'unknown fields of mutations are refused, and nothing changes': class extends ReferenceSession {
    override async applyHistoryMutations(
      args: Parameters<ReferenceSession['applyHistoryMutations']>[0],
    ): Promise<void> {
      const mutations = args.mutations.map(({ type, callId, replacement }) => ({ type, callId, replacement }));
      await super.applyHistoryMutations({ mutations });
    }
  },
  'a list of items is read by its indexes, whatever its iterator and methods do': copiesByIterator,
  'any item with a part that is not JSON or that throws is refused, and nothing is added': encoding((items) =>
    items.map((item) => JSON.stringify(item)),
  ),
  'any change with a part that is not JSON or that throws is refused, and nothing changes': transacting(
    (args) => toJson(args) as TransactionArgs,
  ),
};
