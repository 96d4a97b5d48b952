import assert from 'node:assert/strict';
import { holds, refuses } from './expect.ts';
import { anyId, openTogether, type SessionCase, type SessionCaseGroup, shared } from './harness.ts';
import { say, sayAll } from './items.ts';

const cases: SessionCase[] = [
  {
    title: 'a session opened without an id gets a UUID version 7',
    when: anyId,
    async run(harness) {
      const sessionId = await harness.open().getSessionId();
      assert.match(sessionId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const milliseconds = Number.parseInt(sessionId.replaceAll('-', '').slice(0, 12), 16);
      assert.ok(Math.abs(milliseconds - Date.now()) < 60_000, 'its first 48 bits must be its creation time');
    },
  },
  {
    title: 'a session has its id from the first call',
    async run(harness) {
      const session = harness.open();
      const sessionId = await session.getSessionId();
      assert.equal(typeof sessionId, 'string');
      await session.getItems();
      await session.addItems(sayAll('item', 2));
      await session.popItem();
      assert.equal(await session.getSessionId(), sessionId);
    },
  },
  {
    title: 'concurrent callers get the same id',
    async run(harness) {
      const session = harness.open();
      const ids = await Promise.all(Array.from({ length: 32 }, () => session.getSessionId()));
      assert.equal(new Set(ids).size, 1);
    },
  },
  {
    title: 'a session opened with an id has that id',
    when: anyId,
    async run(harness) {
      for (const sessionId of ['support-42', 'Support-42', 'user:alice/thread 1']) {
        assert.equal(await harness.open(sessionId).getSessionId(), sessionId);
      }
    },
  },
  {
    title: 'an id that the backend did not make is refused',
    when: (capabilities) => !capabilities.anyId,
    async run(harness) {
      for (const sessionId of ['../other', 'support 42', 'a/b?c=d']) {
        await refuses('INVALID_ARGUMENT', () => harness.open(sessionId).getItems(), `for ${sessionId}`);
      }
    },
  },
  {
    title: 'sessions opened without an id are different sessions',
    async run(harness) {
      const sessions = Array.from({ length: 20 }, () => harness.open());
      const ids = await Promise.all(sessions.map((session) => session.getSessionId()));
      assert.equal(new Set(ids).size, 20);
      await sessions[0]?.addItems([say('one')]);
      await sessions[1]?.addItems([say('other')]);
      await holds(sessions[0] as (typeof sessions)[0], [say('one')]);
      await holds(sessions[2] as (typeof sessions)[0], []);
    },
  },
  {
    title: 'a second instance of an id sees the items',
    when: shared,
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 3));
      const again = harness.open(await session.getSessionId());
      await holds(again, sayAll('item', 3));
      assert.equal(await again.getSessionId(), await session.getSessionId());
    },
  },
  {
    title: 'a second instance of an id starts empty',
    when: (capabilities) => !capabilities.shared,
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 3));
      await holds(harness.open(await session.getSessionId()), []);
    },
  },
  {
    title: 'an instance that has already read sees later writes of another',
    when: shared,
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      await holds(one, []);
      await holds(other, []);
      await one.addItems([say('one')]);
      await holds(other, [say('one')]);
      await other.addItems([say('two')]);
      await one.addItems([say('three')]);
      await holds(other, [say('one'), say('two'), say('three')]);
      await other.popItem();
      await holds(one, [say('one'), say('two')]);
    },
  },
  {
    title: 'writes and pops of one session are not visible in another',
    async run(harness) {
      const [one, other] = [harness.open(), harness.open()];
      await one.addItems(sayAll('one', 3));
      await other.addItems(sayAll('other', 3));
      await one.addItems([say('one more')]);
      await one.popItem();
      await one.popItem();
      await holds(one, sayAll('one', 2));
      await holds(other, sayAll('other', 3));
    },
  },
];

export const identity: SessionCaseGroup = { concern: 'identity', cases };
