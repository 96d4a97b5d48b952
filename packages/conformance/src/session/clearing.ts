import assert from 'node:assert/strict';
import { holds } from './expect.ts';
import { keepsIdOnClear, openTogether, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { say, sayAll } from './items.ts';

const cases: SessionCase[] = [
  {
    title: 'clearing removes all items',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 5));
      await session.clearSession();
      await holds(session, []);
      assert.deepEqual(await session.getItems(3), []);
      assert.equal(await session.popItem(), undefined);
    },
  },
  {
    title: 'clearing removes all of a long history',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 1_100));
      await session.clearSession();
      await holds(session, []);
    },
  },
  {
    title: 'clearing an empty session does nothing',
    async run(harness) {
      const session = harness.open();
      await session.clearSession();
      await session.clearSession();
      await holds(session, []);
    },
  },
  {
    title: 'a cleared session can be used at once',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 3));
      await session.clearSession();
      await session.addItems(sayAll('new', 2));
      await holds(session, sayAll('new', 2));
      await session.popItem();
      await holds(session, sayAll('new', 1));
    },
  },
  {
    title: 'a cleared session keeps its id',
    when: keepsIdOnClear,
    async run(harness) {
      const session = harness.open();
      const sessionId = await session.getSessionId();
      await session.addItems(sayAll('item', 2));
      await session.clearSession();
      assert.equal(await session.getSessionId(), sessionId);
      await session.addItems([say('new')]);
      assert.equal(await session.getSessionId(), sessionId);
    },
  },
  {
    title: 'a cleared session gets a new id, and keeps that',
    when: (capabilities) => !capabilities.keepsIdOnClear,
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 2));
      const before = await session.getSessionId();
      await session.clearSession();
      const after = await session.getSessionId();
      assert.notEqual(after, before);
      await session.addItems([say('new')]);
      assert.equal(await session.getSessionId(), after);
    },
  },
  {
    title: 'clearing through one instance clears for all',
    when: (capabilities) => capabilities.shared && capabilities.keepsIdOnClear,
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      await one.addItems(sayAll('item', 3));
      await holds(other, sayAll('item', 3));
      await one.clearSession();
      await holds(other, []);
      await other.addItems([say('new')]);
      await holds(one, [say('new')]);
    },
  },
  {
    title: 'clearing does not affect other sessions',
    async run(harness) {
      const [one, other] = [harness.open(), harness.open()];
      await one.addItems(sayAll('one', 2));
      await other.addItems(sayAll('other', 2));
      await one.clearSession();
      await holds(other, sayAll('other', 2));
    },
  },
  whereDurable({
    title: 'clearing forgets the operation ids',
    async run(harness) {
      const session = harness.open();
      const apply = (text: string) =>
        session.applyHistoryTransaction({
          operationId: 'operation-1',
          transaction: { type: 'append_items', items: [say(text)] },
        });
      await apply('one');
      await session.clearSession();
      await apply('one');
      await holds(session, [say('one')]);
      await session.clearSession();
      await apply('two');
      await holds(session, [say('two')]);
    },
  }),
];

export const clearing: SessionCaseGroup = { concern: 'clearing', cases };
