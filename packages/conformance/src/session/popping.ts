import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { holds } from './expect.ts';
import { anyItem, openTogether, type SessionCase, type SessionCaseGroup, shared } from './harness.ts';
import { brief, briefs, say, sayAll } from './items.ts';

const cases: SessionCase[] = [
  {
    title: 'popping an empty session returns undefined, any number of times',
    async run(harness) {
      const session = harness.open();
      for (let time = 0; time < 3; time++) assert.equal(await session.popItem(), undefined);
      await holds(session, []);
    },
  },
  {
    title: 'popping returns and removes the newest item',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 3));
      assert.equal(brief((await session.popItem()) as JsonObject), 'item 2');
      await holds(session, sayAll('item', 2));
    },
  },
  {
    title: 'popping removes one item of a batch, not the batch',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('first', 2));
      await session.addItems(sayAll('second', 3));
      await session.popItem();
      await holds(session, [...sayAll('first', 2), ...sayAll('second', 2)]);
    },
  },
  {
    title: 'items pop in reverse order until none is left',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 12);
      await session.addItems(items.slice(0, 7));
      await session.addItems(items.slice(7));
      const popped: JsonObject[] = [];
      for (
        let item = await session.popItem();
        item !== undefined && popped.length < 20;
        item = await session.popItem()
      ) {
        popped.push(item);
      }
      assert.deepEqual(briefs(popped), briefs(items.toReversed()));
      await holds(session, []);
    },
  },
  {
    title: 'a popped item is what was added, field by field',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const item = { type: 'note', id: 'n-1', providerData: { list: [1, null, { deep: 'é' }], empty: {} }, text: '' };
      await session.addItems([say('one'), item]);
      assert.deepEqual(await session.popItem(), item);
    },
  },
  {
    title: 'an item added after a pop takes the position of the popped item',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 4));
      await session.popItem();
      await session.popItem();
      await session.addItems([say('new')]);
      await session.addItems([say('newer')]);
      await holds(session, [...sayAll('item', 2), say('new'), say('newer')]);
    },
  },
  {
    title: 'popping one of several equal items keeps the others',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('same'), say('other'), say('same'), say('same')]);
      await session.popItem();
      await holds(session, [say('same'), say('other'), say('same')]);
    },
  },
  {
    title: 'a session that was emptied by pops can be used like a new one',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 2));
      await session.popItem();
      await session.popItem();
      assert.equal(await session.popItem(), undefined);
      await session.addItems([say('new')]);
      await holds(session, [say('new')]);
      assert.deepEqual(briefs(await session.getItems(1)), ['new']);
    },
  },
  {
    title: 'limits count from the new end after a pop',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 6));
      await session.popItem();
      assert.deepEqual(briefs(await session.getItems(2)), ['item 3', 'item 4']);
      assert.deepEqual(briefs(await session.getItems(5)), briefs(sayAll('item', 5)));
    },
  },
  {
    title: 'an item popped through one instance is gone for the others',
    when: shared,
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      await one.addItems(sayAll('item', 3));
      await holds(other, sayAll('item', 3));
      assert.equal(brief((await one.popItem()) as JsonObject), 'item 2');
      await holds(other, sayAll('item', 2));
      assert.equal(brief((await other.popItem()) as JsonObject), 'item 1');
      await holds(one, sayAll('item', 1));
    },
  },
];

export const popping: SessionCaseGroup = { concern: 'popping', cases };
