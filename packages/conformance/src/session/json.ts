import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { anyItem, type DurableHarness, type SessionCase, type SessionCaseGroup } from './harness.ts';

/** Items that must come back unchanged. */
function roundTrip(title: string, items: () => readonly object[]): SessionCase {
  return comesBack(title, items, items);
}

/** Items that must come back as others with the same JSON. */
function comesBack(title: string, added: () => readonly object[], expected: () => readonly object[]): SessionCase {
  return {
    title,
    when: anyItem,
    async run(harness: DurableHarness) {
      const session = harness.open();
      for (const item of added()) await session.addItems([item as JsonObject]);
      await session.addItems([...added()] as JsonObject[]);
      assert.deepEqual(await session.getItems(), [...expected(), ...expected()]);
      assert.deepEqual(await session.popItem(), expected().at(-1));
    },
  };
}

const values: SessionCase[] = [
  roundTrip('every kind of JSON value comes back, however nested', () => [
    { string: 'text', integer: 42, float: -1.5, yes: true, no: false, nothing: null },
    { list: [1, 'two', [3, [4, [{ five: [null] }]]], {}], object: { a: { b: { c: { d: [] } } } } },
  ]),
  roundTrip('empty objects, lists, texts and keys come back', () => [
    {},
    { list: [], object: {}, text: '', '': { '': '' }, nested: [[], {}, [[]]] },
  ]),
  roundTrip('null is kept apart from a missing field', () => [{ a: null, list: [null] }, { list: [] }]),
  roundTrip('numbers, booleans and texts that look alike are kept apart', () => [
    { a: 1, b: '1', c: true, d: 'true', e: null, f: 'null', g: 0, h: '0', i: false, j: '', k: '1.0' },
  ]),
  roundTrip('text of all of Unicode comes back', () => [
    {
      emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 𝒳',
      rtl: 'שלום مرحبا',
      separators: '\u2028 \u2029 \u0085',
      marks: '\u200e\u202e\u200b\ufeff',
    },
    {
      '\ufeffkey': '\ufeffBOM first',
      controls: Array.from({ length: 31 }, (_, code) => String.fromCharCode(code + 1)).join(''),
    },
    { last: '\u{10ffff}\uffff\ufffe\u007f\u009f' },
  ]),
  roundTrip('text is never normalised, in values or keys', () => [
    { composed: 'caf\u00e9', decomposed: 'cafe\u0301', ligature: '\ufb01', caf\u00e9: 1, 'cafe\u0301': 2 },
  ]),
  roundTrip('line breaks, quotes and backslashes come back', () => [
    { breaks: 'a\nb\r\nc\rd\n\n', tabs: '\t\v\f', quotes: '"\'`', slashes: '\\ / \\n \\u0041 \\', end: '\n' },
    { 'key\nwith "quotes" and \\': ' leading and trailing ' },
  ]),
  roundTrip('NUL characters come back, in values and keys', () => [
    { text: 'a\0b', only: '\0', end: 'x\0\0', 'ke\0y': 1, list: ['\0'] },
  ]),
  roundTrip('lone surrogates come back, in values and keys', () => [
    { high: 'a\ud800b', low: '\udc00', swapped: '\udc00\ud800', 'key \udfff': true, end: 'x\udbff' },
  ]),
  roundTrip('text that means something to databases, shells and templates is only text', () => [
    { sql: "'; DROP TABLE items; --", like: '%_', glob: '*?[a]', template: `$\{x} {{x}} %s %d $1 $& $$ ?1 :a @b` },
    { redis: '\r\n*1\r\n$8\r\nFLUSHALL\r\n', path: '../../etc/passwd', html: '</script><!--', bytes: '\\x00\\377' },
  ]),
  roundTrip('field names of any form come back', () => [
    { 'a.b': 1, $set: { $inc: 2 }, '*': 3, ' ': 4, '0': 5, '-1': 6, 'a[0]': 7, 'x/y': 8, "it's": 9, 'é\u2028': 10 },
  ]),
  roundTrip('names of built-in object properties are ordinary fields', () => [
    // biome-ignore lint/suspicious/noThenProperty: it is not a function, which is the point
    { constructor: 'a', toString: 'b', valueOf: 1, hasOwnProperty: null, length: 3, prototype: {}, then: 'c', id: 'd' },
    { toJSON: 'text', constructor: { prototype: { polluted: true } } },
  ]),
  roundTrip('numbers come back to the last bit', () => [
    { numbers: [0.1 + 0.2, 1 / 3, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 53 + 2, 1e21, 1e-7, 123456789012345.67] },
    { extremes: [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, Number.EPSILON, 2 ** 31, 2 ** 32, 2 ** 63] },
  ]),
  comesBack(
    '-0 comes back as 0',
    () => [{ zero: -0, list: [-0, [-0]] }],
    () => [{ zero: 0, list: [0, [0]] }],
  ),
  comesBack(
    'fields that are undefined are left out, at every depth',
    () => [{ a: undefined, b: { c: undefined, d: [{ e: undefined, f: 1 }] } }],
    () => [{ b: { d: [{ f: 1 }] } }],
  ),
  comesBack(
    'an object without a prototype is an ordinary object',
    () => [Object.assign(Object.create(null) as object, { a: 1 })],
    () => [{ a: 1 }],
  ),
  roundTrip('deep nesting comes back', () => [nested(400)]),
  roundTrip('what providers put into items comes back', () => [
    {
      type: 'reasoning',
      id: 'rs_0a1b',
      content: [{ type: 'input_text', text: 'thought' }],
      providerData: {
        encrypted_content: 'A'.repeat(5_000),
        annotations: [{ start_index: 0, url: 'https://e.x/?a=b&c=%20' }],
      },
    },
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_image', image: `data:image/png;base64,${'iVBORw0K'.repeat(20_000)}` }],
    },
  ]),
];

const special: SessionCase[] = [
  {
    title: 'a field named __proto__ comes back as an own field, and pollutes nothing',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const text = '{"__proto__":{"polluted":true},"nested":[{"__proto__":1}],"after":{"__proto__":{"x":[]}}}';
      await session.addItems([JSON.parse(text) as JsonObject]);
      const [item] = await session.getItems();
      assert.deepEqual(item, JSON.parse(text));
      assert.ok(Object.hasOwn(item as object, '__proto__'));
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      assert.equal((item as { polluted?: unknown }).polluted, undefined);
    },
  },
  {
    title: 'an object that appears twice comes back as two',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const twice = { note: 'twice' };
      await session.addItems([{ a: twice, b: [twice, twice] }]);
      const [item] = (await session.getItems()) as [{ a: { note: string }; b: { note: string }[] }];
      assert.deepEqual(item, { a: twice, b: [twice, twice] });
      item.a.note = 'changed';
      assert.equal(item.b[0]?.note, 'twice');
    },
  },
  {
    title: 'an item that appears twice in a batch is stored twice',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const item = { note: 'twice' };
      await session.addItems([item, item]);
      assert.deepEqual(await session.getItems(), [item, item]);
      assert.deepEqual(await session.popItem(), item);
      assert.deepEqual(await session.getItems(), [item]);
    },
  },
];

function nested(depth: number): object {
  let value: object = { bottom: true };
  for (let level = 2; level < depth; level += 2) value = { list: [value] };
  return value;
}

export const json: SessionCaseGroup = { concern: 'JSON values', cases: [...values, ...special] };
