import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { withHidden } from '../hostile-values.ts';
import { holds, refuses, SECRET } from './expect.ts';
import { anyItem, type DurableHarness, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { say } from './items.ts';

/** Values that no item may contain, at any depth. */
function refusal(title: string, values: () => readonly unknown[]): SessionCase {
  return {
    title,
    when: anyItem,
    async run(harness: DurableHarness) {
      const session = harness.open();
      await session.addItems([say('before')]);
      for (const value of values()) {
        for (const item of [{ value }, { text: SECRET, deep: { list: [1, { value }] } }]) {
          const why = `for ${Object.prototype.toString.call(value)}`;
          await refuses('INVALID_ARGUMENT', () => session.addItems([say(SECRET), item as unknown as JsonObject]), why);
        }
      }
      await holds(session, [say('before')]);
    },
  };
}

class Point {
  x = 1;
}

const cases: SessionCase[] = [
  refusal('NaN and the infinities are refused, not turned into null', () => [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]),
  refusal('bigints are refused', () => [10n, BigInt(2) ** 70n]),
  refusal('functions and symbols are refused, not left out', () => [() => SECRET, Symbol(SECRET), Point]),
  refusal('dates, maps, sets and patterns are refused, not turned into strings or {}', () => [
    new Date(0),
    new Map([[SECRET, 1]]),
    new Set([SECRET]),
    /a/,
  ]),
  refusal('bytes are refused, not turned into objects', () => [
    new Uint8Array([1, 2]),
    new Float64Array(1),
    new ArrayBuffer(4),
    Buffer.from('x'),
  ]),
  refusal('instances of classes are refused', () => [new Point(), new Error(SECRET), Promise.resolve(1)]),
  refusal('boxed values are refused, not unboxed', () => [Object(1), Object('text'), Object(true)]),
  refusal('undefined in a list is refused, not turned into null', () => [
    [undefined],
    [1, undefined, 2],
    [[undefined]],
  ]),
  // biome-ignore lint/suspicious/noSparseArray: the hole is the point
  refusal('lists with holes are refused, not filled', () => [[1, , 2], new Array(3)]),
  refusal('lists with named fields are refused, not stripped', () => [Object.assign([1], { note: SECRET })]),
  refusal('fields that are not enumerable are refused, not left out', () => [
    withHidden({ a: 1 }, 'note', SECRET),
    withHidden([1], 'note', SECRET),
    withHidden({ a: 1 }, 'toJSON', () => SECRET),
  ]),
  refusal('cycles are refused', () => {
    const loop: Record<string, unknown> = { text: SECRET };
    loop.self = { list: [loop] };
    const list: unknown[] = [];
    list.push(list);
    return [loop, list];
  }),
  refusal('nesting that would overflow the stack is refused', () => {
    let value: unknown = SECRET;
    for (let level = 0; level < 50_000; level++) value = [value];
    return [value];
  }),
  {
    title: 'an item that is not a plain object is refused',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const items = [new Date(0), new Map(), new Point(), Buffer.from(SECRET), Object(SECRET), () => SECRET];
      for (const item of items) {
        await refuses('INVALID_ARGUMENT', () => session.addItems([item as unknown as JsonObject]));
      }
      await holds(session, []);
    },
  },
  {
    title: 'a refusal has the path of the invalid value, with positions for the names of unknown fields',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const items = [say(SECRET), { at: 1, [SECRET]: { content: [1, 2, Number.NaN] } } as JsonObject];
      const error = await refuses('INVALID_ARGUMENT', () => session.addItems(items));
      assert.match(error.message, /\[1\]\.<field 2>\.content\[2\]/);
    },
  },
  whereDurable({
    title: 'transactions, mutations and compaction refuse what JSON cannot hold, and change nothing',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const call = { type: 'function_call', callId: 'c-1', name: 'f' };
      await session.addItems([call]);
      const bad = { ...call, text: SECRET, when: new Date(0) } as unknown as JsonObject;
      const attempts = [
        () => session.replaceHistoryWithCompaction([say(SECRET), bad]),
        () =>
          session.applyHistoryMutations({
            mutations: [{ type: 'replace_function_call', callId: 'c-1', replacement: bad }],
          }),
        () =>
          session.applyHistoryTransaction({ operationId: 'a', transaction: { type: 'append_items', items: [bad] } }),
        () =>
          session.applyHistoryTransaction({
            operationId: 'b',
            transaction: { type: 'replace_suffix', expectedSuffix: [call], replacement: [bad] },
          }),
        () =>
          session.applyHistoryTransaction({
            operationId: 'c',
            transaction: { type: 'replace_suffix', expectedSuffix: [bad], replacement: [] },
          }),
      ];
      for (const attempt of attempts) {
        await refuses('INVALID_ARGUMENT', attempt);
        assert.deepEqual(await session.getItems(), [call]);
      }
    },
  }),
];

export const notJson: SessionCaseGroup = { concern: 'invalid items', cases };
