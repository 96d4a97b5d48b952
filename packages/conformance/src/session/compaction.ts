import assert from 'node:assert/strict';
import { type JsonObject, recentItems } from '@keepsake/core';
import { holds, refuses } from './expect.ts';
import { openTogether, type SessionCase, type SessionCaseGroup, shared, whereDurable } from './harness.ts';
import { briefs, say, sayAll } from './items.ts';

const cases: SessionCase[] = [
  {
    title: 'compaction replaces the whole history',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 3));
      await session.addItems(sayAll('older', 3));
      await session.replaceHistoryWithCompaction([say('summary'), say('kept')]);
      await holds(session, [say('summary'), say('kept')]);
    },
  },
  {
    title: 'compaction removes all of a long history',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 1_100));
      await session.replaceHistoryWithCompaction([say('summary'), say('kept')]);
      await holds(session, [say('summary'), say('kept')]);
      assert.deepEqual(briefs(await session.getItems(5)), ['summary', 'kept']);
    },
  },
  {
    title: 'compaction to no items leaves an empty session',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 3));
      await session.replaceHistoryWithCompaction([]);
      await holds(session, []);
      assert.equal(await session.popItem(), undefined);
      await session.addItems([say('new')]);
      await holds(session, [say('new')]);
    },
  },
  {
    title: 'compaction of an empty session adds the items',
    async run(harness) {
      const session = harness.open();
      await session.replaceHistoryWithCompaction(sayAll('item', 2));
      await holds(session, sayAll('item', 2));
    },
  },
  {
    title: 'compaction may make a history longer',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('old')]);
      await session.replaceHistoryWithCompaction(sayAll('new', 40));
      await holds(session, sayAll('new', 40));
    },
  },
  {
    title: 'a compacted session works as before: appends, limits and pops',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 8));
      await session.replaceHistoryWithCompaction([say('summary'), say('kept')]);
      await session.addItems(sayAll('new', 2));
      assert.deepEqual(briefs(await session.getItems(3)), ['kept', 'new 0', 'new 1']);
      await session.popItem();
      await session.popItem();
      await session.popItem();
      await holds(session, [say('summary')]);
      await session.replaceHistoryWithCompaction([say('second summary')]);
      await holds(session, [say('second summary')]);
    },
  },
  {
    title: 'compaction keeps the id, even if clearing does not',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 2));
      const sessionId = await session.getSessionId();
      await session.replaceHistoryWithCompaction([]);
      await session.replaceHistoryWithCompaction([say('summary')]);
      assert.equal(await session.getSessionId(), sessionId);
    },
  },
  {
    title: 'a refused compaction is a rejected promise, never a throw',
    async run(harness) {
      const session = harness.open();
      let promise: Promise<unknown> | undefined;
      assert.doesNotThrow(() => {
        promise = session.replaceHistoryWithCompaction([{ ...say('x'), note: Number.NaN }]);
      });
      await assert.rejects(promise as Promise<unknown>);
    },
  },
  {
    title: 'a compaction is visible in other instances of the session, and in no other session',
    when: shared,
    async run(harness, capabilities) {
      const [one, again] = await openTogether(harness, capabilities, 2);
      const other = harness.open();
      for (const session of [one, other]) await session.addItems(sayAll('item', 3));
      await holds(again, sayAll('item', 3));
      await one.replaceHistoryWithCompaction([say('summary')]);
      await holds(again, [say('summary')]);
      await holds(other, sayAll('item', 3));
    },
  },
  {
    title: 'a window of a compacted history has no compacted items',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('turn', 3));
      assert.deepEqual(briefs(await recentItems(session, { maxTurns: 2 })), ['turn 1', 'turn 2']);
      await session.replaceHistoryWithCompaction([say('summary')]);
      assert.deepEqual(briefs(await recentItems(session, { maxTurns: 2 })), ['summary']);
    },
  },
  {
    title: 'a refused compaction leaves the history unchanged',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('old', 3));
      const wrong = [undefined, null, say('x'), 'text', [null], [say('x'), 'text'], [say('x'), { note: Number.NaN }]];
      for (const items of wrong) {
        await refuses('INVALID_ARGUMENT', () => session.replaceHistoryWithCompaction(items as JsonObject[]));
        await holds(session, sayAll('old', 3));
      }
    },
  },
];

export const compaction: SessionCaseGroup = { concern: 'compaction', cases: cases.map(whereDurable) };
