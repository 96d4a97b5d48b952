import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { LIMITS } from '@keepsake/core/adapter';
import { holds, refuses } from './expect.ts';
import { anyItem, largeItem, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { call, say, sayAll } from './items.ts';
import { replaceCall } from './mutations.ts';
import { appendOnce, replaceOnce } from './transactions.ts';

/** An item of `bytes` bytes as JSON. */
function itemOf(bytes: number): JsonObject {
  return { text: 'x'.repeat(bytes - '{"text":""}'.length) };
}

const mebibyte = 1024 * 1024;

const cases: SessionCase[] = [
  {
    title: 'an item of exactly 16 MiB comes back',
    when: largeItem,
    async run(harness) {
      const session = harness.open();
      const item = itemOf(LIMITS.itemBytes);
      assert.equal(JSON.stringify(item).length, 16 * mebibyte);
      await session.addItems([item]);
      const [stored] = await session.getItems();
      // Compared manually, because the diff in a report would be as long as the item.
      assert.ok(
        stored !== undefined && stored.text === item.text && Object.keys(stored).length === 1,
        'the item came back changed',
      );
    },
  },
  {
    title: 'an item of 5 MiB comes back between others, and pops',
    when: largeItem,
    async run(harness) {
      const session = harness.open();
      const item = { text: 'é\n'.repeat((5 * mebibyte) / 4) };
      await session.addItems([say('before'), item]);
      await session.addItems([say('after')]);
      await holds({ getItems: () => session.getItems(1) }, [say('after')]);
      await session.popItem();
      assert.ok((await session.popItem())?.text === item.text, 'the item came back changed');
      await holds(session, [say('before')]);
    },
  },
  {
    title: 'an item over 16 MiB is too large, and nothing of its batch is written',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('before')]);
      await refuses('TOO_LARGE', () => session.addItems([itemOf(LIMITS.itemBytes + 1)]));
      await refuses('TOO_LARGE', () => session.addItems([say('one'), itemOf(LIMITS.itemBytes + 1), say('two')]));
      await holds(session, [say('before')]);
    },
  },
  {
    title: 'where items are smaller, the largest comes back, and nothing of a batch with one twice as large is written',
    when: ({ itemBytes }) => itemBytes !== undefined,
    async run(harness, { itemBytes = LIMITS.itemBytes }) {
      const session = harness.open();
      const item = itemOf(itemBytes);
      await session.addItems([item]);
      await refuses('TOO_LARGE', () => session.addItems([say('one'), itemOf(2 * itemBytes)]));
      const stored = await session.getItems();
      assert.ok(stored.length === 1 && stored[0]?.text === item.text, 'the session has other items');
    },
  },
  {
    title: 'the size of an item is counted in bytes, not in characters',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await refuses('TOO_LARGE', () => session.addItems([{ text: 'é'.repeat(9 * mebibyte) }]));
      await refuses('TOO_LARGE', () => session.addItems([{ text: '語'.repeat(6 * mebibyte) }]));
      await holds(session, []);
    },
  },
  whereDurable({
    title: 'transactions, mutations and compaction refuse what is too large, and change nothing',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1')]);
      const large = itemOf(LIMITS.itemBytes + 1);
      await refuses('TOO_LARGE', () => appendOnce(session, 'a', [say('one'), large]));
      await refuses('TOO_LARGE', () => replaceOnce(session, 'b', [call('c-1')], [large]));
      await refuses('TOO_LARGE', () => session.applyHistoryMutations({ mutations: [replaceCall('c-1', large)] }));
      await refuses('TOO_LARGE', () => session.replaceHistoryWithCompaction([say('one'), large]));
      await holds(session, [call('c-1')]);
      await appendOnce(session, 'a', [say('one')]);
      await holds(session, [call('c-1'), say('one')]);
    },
  }),
  {
    title: 'the limit applies to an item; a batch can be larger',
    when: largeItem,
    async run(harness) {
      const session = harness.open();
      const items = Array.from({ length: 5 }, (_, index) => ({ index, text: 'x'.repeat(4 * mebibyte) }));
      await session.addItems(items);
      const stored = await session.getItems();
      assert.deepEqual(
        stored.map(({ index, text }) => [index, (text as string).length]),
        items.map(({ index, text }) => [index, text.length]),
      );
    },
  },
  {
    title: 'a batch of 10,000 items comes back whole and in order',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 10_000);
      await session.addItems(items);
      await holds(session, items);
      await session.popItem();
      await holds({ getItems: () => session.getItems(3) }, items.slice(9_996, 9_999));
    },
  },
  whereDurable({
    title: 'a transaction of 2,000 items is applied completely',
    async run(harness) {
      const session = harness.open();
      const [old, fresh] = [sayAll('old', 2_000), sayAll('new', 2_000)];
      await appendOnce(session, 'operation-1', old);
      await replaceOnce(session, 'operation-2', old.slice(1), fresh);
      await holds(session, [say('old 0'), ...fresh]);
    },
  }),
];

export const limits: SessionCaseGroup = { concern: 'sizes', cases };
