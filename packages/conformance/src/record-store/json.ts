import assert from 'node:assert/strict';
import { isMemoryError, type JsonObject, type JsonValue } from '@keepsake/core';
import { heldIds, type RecordStoreCases, range, refuses, SECRET } from './helpers.ts';

function cyclic(): object {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  return cycle;
}

function nested(levels: number): JsonObject {
  return range(levels - 1).reduce<JsonObject>((inner) => ({ in: inner }), {});
}

/** Values that `JSON.stringify` would silently change. */
const UNFIT: readonly unknown[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1n,
  () => 1,
  Symbol('s'),
  new Date(),
  new Map([[1, 2]]),
  new Set([1]),
  new Uint8Array(2),
  /a/,
  new Error(SECRET),
  new (class Point {
    x = 1;
  })(),
  [1, undefined],
  // biome-ignore lint/suspicious/noSparseArray: a sparse array is what must be refused
  [1, , 3],
  Object.assign([1], { named: 2 }),
  cyclic(),
  nested(501),
];

const VALUES: Readonly<Record<string, JsonValue>> = {
  empty: '',
  nul: 'a\0b',
  lone: 'a\ud800b',
  low: '\udc00',
  emoji: '👩‍👩‍👧‍👦💡',
  separators: '\u2028\u2029',
  bom: '\ufeffa',
  noncharacter: '\uffff',
  quotes: '\'"`\\',
  control: '\u0001\u001f\u007f\n\r\t',
  composed: 'é',
  decomposed: 'e\u0301',
  big: 2 ** 53 + 2,
  small: 5e-324,
  huge: 1.7976931348623157e308,
  fraction: 0.1 + 0.2,
  negative: -1.5,
  yes: true,
  no: false,
  nothing: null,
  list: [],
  object: {},
  mixed: [1, 'a', null, [true, { a: [] }], {}],
  dateLike: '2026-11-21T08:00:00.000Z',
  numberLike: '007',
};

export const json: RecordStoreCases = {
  concern: 'Metadata',
  cases: [
    {
      title: 'any JSON metadata comes back unchanged',
      async run(harness) {
        const store = harness.open();
        const metadata = { ...VALUES, deep: { er: { list: [{ a: [{ b: null }] }] } } };
        const put = await store.put({ id: 'one', content: 'heron', metadata });
        assert.deepEqual(put.metadata, metadata);
        assert.deepEqual((await harness.open().get('one'))?.metadata, metadata);
        assert.deepEqual((await store.search('heron'))[0]?.metadata, metadata);
      },
    },
    {
      title: 'field names come back unchanged, whatever they contain',
      async run(harness) {
        const store = harness.open();
        const names = ['', ' ', '$set', 'a.b', '*', '%', "'", '"', 'a\0b', '\ud800', '💡', '\u2028', 'é', 'e\u0301'];
        const metadata = Object.fromEntries([...names, 'A', 'a', '0', '01', 'x'.repeat(1_000)].map((n, i) => [n, i]));
        await store.put({ id: 'one', content: 'heron', metadata });
        assert.deepEqual((await store.get('one'))?.metadata, metadata);
      },
    },
    {
      title: 'a field named __proto__ or constructor comes back as an own field, and pollutes nothing',
      async run(harness) {
        const store = harness.open();
        const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":2}}';
        await store.put({ id: 'one', content: 'heron', metadata: JSON.parse(text) as JsonObject });
        const metadata = (await store.get('one'))?.metadata as JsonObject;
        assert.deepEqual(Object.keys(metadata).sort(), ['__proto__', 'a', 'constructor']);
        assert.deepEqual(Object.getOwnPropertyDescriptor(metadata, '__proto__')?.value, { polluted: 1 });
        assert.deepEqual(Object.getOwnPropertyDescriptor(metadata.a, '__proto__')?.value, 2);
        assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      },
    },
    {
      title: 'a field that is undefined is left out, and -0 is stored as 0',
      async run(harness) {
        const store = harness.open();
        const metadata = { gone: undefined, zero: -0, in: { gone: undefined } } as unknown as JsonObject;
        for (const record of [await store.put({ id: 'one', content: 'heron', metadata }), await store.get('one')]) {
          assert.deepEqual(Object.keys(record?.metadata ?? {}).sort(), ['in', 'zero']);
          assert.deepEqual(record?.metadata.in, {});
          assert.ok(Object.is(record?.metadata.zero, 0));
        }
      },
    },
    {
      title: 'values that JSON would silently change are refused',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const unfit of UNFIT) {
          const metadata = { safe: SECRET, in: [{ unfit }] } as unknown as JsonObject;
          await refuses('INVALID_ARGUMENT', () => store.put({ content: `heron ${SECRET}`, metadata }));
          await refuses('INVALID_ARGUMENT', () => store.putMany([{ content: `heron ${SECRET}`, metadata }]));
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'the refusal of a value has the path to it, without names of metadata',
      async run(harness) {
        const metadata = { ok: 1, [SECRET]: [1, { when: new Date() }] } as unknown as JsonObject;
        await assert.rejects(
          () => harness.open().put({ content: 'heron', metadata }),
          (error: unknown) =>
            isMemoryError(error, 'INVALID_ARGUMENT') &&
            error.message.includes('metadata.<field 2>[1].<field 1>') &&
            !error.message.includes(SECRET),
        );
      },
    },
    {
      title: 'metadata that is not a plain object is refused',
      async run(harness, capabilities) {
        const store = harness.open();
        for (const metadata of [null, [], 'bird', 7, true, new Date(), new Map(), () => 1] as unknown[]) {
          await refuses('INVALID_ARGUMENT', () =>
            store.put({ content: `heron ${SECRET}`, metadata: metadata as JsonObject }),
          );
        }
        assert.deepEqual(await heldIds(store, capabilities), []);
      },
    },
    {
      title: 'metadata can nest 500 levels deep',
      async run(harness) {
        const store = harness.open();
        const metadata = nested(500);
        await store.put({ id: 'one', content: 'heron', metadata });
        assert.equal(JSON.stringify((await store.get('one'))?.metadata), JSON.stringify(metadata));
      },
    },
    {
      title: 'metadata of 64 KiB as JSON, counted in bytes of UTF-8, fits; one byte more is too large',
      async run(harness, capabilities) {
        const store = harness.open();
        const room = 64 * 1024 - '{"v":""}'.length;
        for (const text of ['x'.repeat(room), `${'語'.repeat((room - 1) / 3)}${'x'.repeat((room - 1) % 3)}x`]) {
          await store.put({ id: 'fits', content: 'heron', metadata: { v: text } });
          assert.equal((await store.get('fits'))?.metadata.v, text);
          await refuses('TOO_LARGE', () => store.put({ id: 'over', content: 'heron', metadata: { v: `${text}x` } }));
        }
        assert.deepEqual(await heldIds(store, capabilities), ['fits']);
      },
    },
  ],
};
