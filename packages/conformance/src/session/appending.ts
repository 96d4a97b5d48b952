import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { holds, refuses, SECRET } from './expect.ts';
import { openTogether, type SessionCase, type SessionCaseGroup, shared } from './harness.ts';
import { say, sayAll } from './items.ts';

const unstorable = { ...say(SECRET), note: Number.NaN };

const cases: SessionCase[] = [
  {
    title: 'items are appended at the end, in the order of the calls',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 6);
      for (const item of items) await session.addItems([item]);
      await holds(session, items);
    },
  },
  {
    title: 'the items of a batch keep their order',
    async run(harness) {
      const session = harness.open();
      // Names whose sort order differs from their order here.
      const items = [...sayAll('zebra', 30), ...sayAll('ant', 30), ...sayAll('Mule', 30)];
      await session.addItems(items);
      await holds(session, items);
    },
  },
  {
    title: 'quick appends are ordered by calls, not by a clock',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 200);
      for (const item of items) await session.addItems([item]);
      await holds(session, items);
    },
  },
  {
    title: 'the order of appends stays when the clock goes back',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 6);
      await withClock(async (setBack) => {
        for (const item of items) {
          await session.addItems([item]);
          setBack(60_000);
        }
      });
      await holds(session, items);
    },
  },
  {
    title: 'an append can be read as soon as it is acknowledged',
    async run(harness) {
      const session = harness.open();
      for (let count = 1; count <= 10; count++) {
        await session.addItems([say(`item ${count}`)]);
        assert.equal((await session.getItems()).length, count);
      }
    },
  },
  {
    title: 'an append can be read through another instance as soon as it is acknowledged',
    when: shared,
    async run(harness, capabilities) {
      const [writer, reader] = await openTogether(harness, capabilities, 2);
      const items = sayAll('item', 6);
      for (let count = 1; count <= 6; count++) {
        await writer.addItems(items.slice(count - 1, count));
        await holds(reader, items.slice(0, count));
      }
    },
  },
  {
    title: 'appending no items changes nothing',
    async run(harness) {
      const session = harness.open();
      await session.addItems([]);
      await holds(session, []);
      await session.addItems([say('one')]);
      await session.addItems([]);
      await holds(session, [say('one')]);
    },
  },
  {
    title: 'equal items are all kept, each in its position',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('yes'), say('no'), say('yes')]);
      await session.addItems([say('yes')]);
      await session.addItems([say('yes')]);
      await holds(session, [say('yes'), say('no'), say('yes'), say('yes'), say('yes')]);
    },
  },
  {
    title: 'a batch with one item that cannot be stored is refused whole',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('before')]);
      const good = sayAll('good', 3);
      for (const batch of [
        [unstorable, ...good],
        [...good, unstorable],
        [good[0] as JsonObject, unstorable, good[1] as JsonObject],
      ]) {
        await refuses('INVALID_ARGUMENT', () => session.addItems(batch));
        await holds(session, [say('before')]);
      }
    },
  },
  {
    title: 'anything but an array of objects is refused, and nothing is written',
    async run(harness) {
      const session = harness.open();
      const wrong = [undefined, null, 'text', say(SECRET), 7, new Set([say('one')])];
      const wrongItems = [null, undefined, 'text', 7, true, [say('nested')]].map((item) => [say(SECRET), item]);
      for (const items of [...wrong, ...wrongItems]) {
        await refuses('INVALID_ARGUMENT', () => session.addItems(items as JsonObject[]), `for ${String(items)}`);
      }
      await holds(session, []);
    },
  },
  {
    title: 'a batch with a hole is refused',
    async run(harness) {
      const session = harness.open();
      const batch = [say('one'), say('two'), say('three')];
      delete batch[1];
      await refuses('INVALID_ARGUMENT', () => session.addItems(batch));
      await holds(session, []);
    },
  },
  {
    title: 'a refusal is a rejected promise, never a throw',
    async run(harness) {
      const session = harness.open();
      const calls = [
        () => session.addItems([unstorable]),
        () => session.addItems(undefined as unknown as JsonObject[]),
        () => session.getItems('2' as unknown as number),
      ];
      for (const call of calls) {
        let promise: Promise<unknown> | undefined;
        assert.doesNotThrow(() => {
          promise = call();
        });
        await assert.rejects(promise as Promise<unknown>);
      }
    },
  },
  {
    title: 'a session works after a refused append',
    async run(harness) {
      const session = harness.open();
      for (const text of ['one', 'two']) {
        await refuses('INVALID_ARGUMENT', () => session.addItems([say(SECRET), unstorable]));
        await session.addItems([say(text)]);
      }
      await holds(session, [say('one'), say('two')]);
    },
  },
];

/** Runs an action with a `Date` clock that it can set back. Timers are not affected. */
async function withClock(action: (setBack: (ms: number) => void) => Promise<void>): Promise<void> {
  const now = Date.now;
  let behind = 0;
  Date.now = () => now() - behind;
  try {
    await action((ms) => {
      behind += ms;
    });
  } finally {
    Date.now = now;
  }
}

export const appending: SessionCaseGroup = { concern: 'appending', cases };
