import assert from 'node:assert/strict';
import type { DurableSession, JsonObject } from '@keepsake/core';
import { encrypted, type KeyRing } from '@keepsake/privacy';
import { refusesThrowing } from '../hostile-values.ts';
import { makeBatches } from './concurrency.ts';
import { holds, holdsBatches, refuses, SECRET } from './expect.ts';
import { anyItem, openTogether, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { brief, briefs, call, say, sayAll } from './items.ts';
import { replaceCall } from './mutations.ts';
import { appendOnce, replaceOnce } from './transactions.ts';

function key(seed: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => (index * 37 + seed) % 256);
}

export const ring: KeyRing = { current: 'k1', keys: { k1: key(1) } };
const otherRing: KeyRing = { current: 'k1', keys: { k1: key(2) } };

const reads: SessionCase[] = [
  {
    title: 'an encrypted session works like the session',
    when: anyItem,
    async run(harness) {
      const plain = harness.open();
      const session = encrypted(plain, ring);
      assert.equal(await session.getSessionId(), await plain.getSessionId());
      await session.addItems(sayAll('item', 5));
      await holds(session, sayAll('item', 5));
      assert.deepEqual(briefs(await session.getItems(2)), ['item 3', 'item 4']);
      assert.deepEqual(await session.getItems(0), []);
      assert.deepEqual(await session.popItem(), say('item 4'));
      await holds(session, sayAll('item', 4));
      await session.replaceHistoryWithCompaction([{ text: 'a\0b\ud800', n: [null, { deep: 1.5 }] }]);
      assert.deepEqual(await session.getItems(), [{ text: 'a\0b\ud800', n: [null, { deep: 1.5 }] }]);
      await session.clearSession();
      await holds(session, []);
      assert.equal(await session.popItem(), undefined);
    },
  },
  {
    title: 'an encrypted session remembers operations',
    when: anyItem,
    async run(harness) {
      const session = encrypted(harness.open(), ring);
      await appendOnce(session, 'operation-1', [say('one')]);
      await appendOnce(session, 'operation-1', [say('one')]);
      await refuses('CONFLICT', () => appendOnce(session, 'operation-1', [say('two')]));
      await replaceOnce(session, 'operation-2', [say('one')], [say('two')]);
      await replaceOnce(session, 'operation-2', [say('one')], [say('two')]);
      await refuses('CONFLICT', () => replaceOnce(session, 'operation-3', [say('one')], [say('three')]));
      await holds(session, [say('two')]);
    },
  },
  {
    title: 'an encrypted session replaces calls',
    when: anyItem,
    async run(harness) {
      const session = encrypted(harness.open(), ring);
      await session.addItems([say('go'), call('c-1'), call('c-2'), call('c-1')]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await holds(session, [say('go'), call('c-1', 'new'), call('c-2')]);
    },
  },
  {
    title: 'items of an old key are read and replaced while the ring keeps it',
    when: anyItem,
    async run(harness) {
      const plain = harness.open();
      await encrypted(plain, ring).addItems(sayAll('old', 2));
      const session = encrypted(plain, { current: 'k2', keys: { k1: key(1), k2: key(2) } });
      await session.addItems([say('new')]);
      await holds(session, [...sayAll('old', 2), say('new')]);
      await replaceOnce(session, 'operation-1', [say('old 1'), say('new')], [say('newer')]);
      await holds(session, [say('old 0'), say('newer')]);
      await refuses('INVALID_ARGUMENT', () => encrypted(plain, ring).getItems());
    },
  },
];

/** Asserts that every method that reads rejects and removes nothing. */
async function refusesAll(code: 'INVALID_ARGUMENT' | 'CORRUPT', session: DurableSession, plain: DurableSession) {
  const before = await plain.getItems();
  await refuses(code, () => session.getItems());
  await refuses(code, () => session.getItems(1));
  await refuses(code, () => session.popItem());
  await refuses(code, () => session.addItems([say('new')]));
  await refuses(code, () => session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] }));
  assert.deepEqual(await plain.getItems(), before);
}

const refusals: SessionCase[] = [
  {
    title: 'a wrong key is refused, never read as an empty history, and removes nothing',
    when: anyItem,
    async run(harness) {
      const plain = harness.open();
      await encrypted(plain, ring).addItems([call('c-1'), say(SECRET)]);
      await refusesAll('INVALID_ARGUMENT', encrypted(plain, otherRing), plain);
      await holds(encrypted(plain, ring), [call('c-1'), say(SECRET)]);
    },
  },
  {
    title: 'an encrypted item that was moved to another session is refused there',
    when: anyItem,
    async run(harness) {
      const [from, to] = [harness.open(), harness.open()];
      await encrypted(from, ring).addItems([say(SECRET)]);
      await to.addItems(await from.getItems());
      await refusesAll('INVALID_ARGUMENT', encrypted(to, ring), to);
    },
  },
  {
    title: 'a damaged encrypted item is distinguished from a wrong key, and is kept',
    when: anyItem,
    async run(harness) {
      const plain = harness.open();
      await encrypted(plain, ring).addItems([say(SECRET)]);
      const [item] = (await plain.getItems()) as [{ encrypted: { data: string } }];
      const { data } = item.encrypted;
      item.encrypted.data = (data.startsWith('A') ? 'B' : 'A') + data.slice(1);
      await plain.replaceHistoryWithCompaction([item]);
      await refusesAll('CORRUPT', encrypted(plain, ring), plain);
    },
  },
  {
    title: 'plaintext under encryption is an error',
    when: anyItem,
    async run(harness) {
      const plain = harness.open();
      await plain.addItems([say(SECRET)]);
      await refusesAll('CORRUPT', encrypted(plain, ring), plain);
    },
  },
  {
    title: 'an encrypted session refuses what the session refuses',
    when: anyItem,
    async run(harness) {
      const plain = harness.open();
      const session = encrypted(plain, ring);
      const bad = { text: SECRET, note: Number.NaN };
      await refuses('INVALID_ARGUMENT', () => session.addItems([say(SECRET), bad]));
      await refuses('INVALID_ARGUMENT', () => session.addItems([null as unknown as JsonObject]));
      await refuses('INVALID_ARGUMENT', () => session.replaceHistoryWithCompaction([bad]));
      await refuses('INVALID_ARGUMENT', () => appendOnce(session, 'operation-1', [bad]));
      for (const id of ['', ' ']) await refuses('INVALID_ARGUMENT', () => appendOnce(session, id, [say(SECRET)]));
      await refuses('INVALID_ARGUMENT', () => session.getItems('1' as unknown as number));
      await refusesThrowing([say('one')], (items) => session.addItems(items));
      await refusesThrowing(
        { operationId: 'operation-1', transaction: { type: 'append_items' as const, items: [say('one')] } },
        (args) => session.applyHistoryTransaction(args),
      );
      await holds(plain, []);
    },
  },
];

/** What somebody who can write to the backend does with the stored items, which are sent in four batches. */
const TAMPERING: { readonly [what: string]: (items: readonly JsonObject[]) => readonly (JsonObject | undefined)[] } = {
  'were reordered': (items) => [...items.slice(0, -3), items.at(-2), items.at(-3), items.at(-1)],
  'were swapped at the end': (items) => [...items.slice(0, -2), items.at(-1), items.at(-2)],
  'were dropped in the middle': (items) => [...items.slice(0, -3), ...items.slice(-2)],
  'were dropped at the beginning': (items) => items.slice(2),
  'were repeated at the end': (items) => [...items, items.at(-2)],
  'were repeated at once': (items) => [...items, items.at(-1)],
};

const tampering: SessionCase[] = Object.entries(TAMPERING).map(([what, change]) => ({
  title: `it is noticed if encrypted items ${what}`,
  when: anyItem,
  async run(harness) {
    const plain = harness.open();
    for (const item of [call('c-1'), say('one'), say('two'), say(SECRET)])
      await encrypted(plain, ring).addItems([item]);
    await plain.replaceHistoryWithCompaction(change(await plain.getItems()) as JsonObject[]);
    const session = encrypted(plain, ring);
    const before = await plain.getItems();
    await refuses('CORRUPT', () => session.getItems());
    await refuses('CORRUPT', () =>
      session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] }),
    );
    assert.deepEqual(await plain.getItems(), before);
    // What can't be read can be cleared.
    await session.clearSession();
    await session.addItems([say('new')]);
    await holds(session, [say('new')]);
  },
}));

const order: SessionCase[] = [
  ...tampering,
  {
    title: 'an encrypted item of an earlier life of the session is noticed',
    when: anyItem,
    async run(harness) {
      const plain = harness.open();
      const session = encrypted(plain, ring);
      await session.addItems(sayAll('item', 2));
      const earlier = await plain.getItems();
      await session.clearSession();
      await session.addItems(sayAll('item', 2));
      await holds(session, sayAll('item', 2));
      await plain.addItems(earlier.slice(-1));
      await refuses('CORRUPT', () => session.getItems());
      await refuses('CORRUPT', () => session.getItems(2));
      await refuses('CORRUPT', () => session.popItem());
    },
  },
  {
    title: 'encrypted items keep their order through every kind of change',
    when: anyItem,
    async run(harness) {
      const session = encrypted(harness.open(), ring);
      await session.addItems([say('one'), call('c-1'), say('two')]);
      assert.deepEqual(await session.popItem(), say('two'));
      await session.addItems([say('three')]);
      await session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] });
      await replaceOnce(session, 'operation-1', [say('three')], [say('four'), say('five')]);
      await appendOnce(session, 'operation-2', [say('six')]);
      await holds(session, [say('one'), call('c-1', 'new'), say('four'), say('five'), say('six')]);
      await session.replaceHistoryWithCompaction([say('summary')]);
      await session.addItems([say('seven')]);
      await holds(session, [say('summary'), say('seven')]);
      assert.deepEqual(await session.popItem(), say('seven'));
      assert.deepEqual(await session.popItem(), say('summary'));
      assert.equal(await session.popItem(), undefined);
      await session.addItems([say('eight')]);
      await session.replaceHistoryWithCompaction([]);
      await session.addItems([say('nine')]);
      await holds(session, [say('nine')]);
    },
  },
];

const callers: SessionCase[] = [
  {
    title: 'many concurrent callers of an encrypted session lose nothing and pop nothing twice',
    when: anyItem,
    async run(harness, capabilities) {
      const [one, other] = (await openTogether(harness, capabilities, 2)).map((session) =>
        encrypted(session, ring),
      ) as [DurableSession, DurableSession];
      const batches = makeBatches(12, 3);
      await Promise.all(batches.map((batch, index) => (index % 2 === 0 ? one : other).addItems(batch)));
      holdsBatches(await one.getItems(), batches);
      const popped = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? one : other).popItem()));
      const left = await one.getItems();
      assert.deepEqual(
        [...popped.map((item) => brief(item as JsonObject)), ...briefs(left)].sort(),
        briefs(batches.flat()).sort(),
      );
    },
  },
  {
    title: 'an encrypted session can be read while other callers change it',
    when: anyItem,
    async run(harness, capabilities) {
      const [writer, reader] = (await openTogether(harness, capabilities, 2)).map((session) =>
        encrypted(session, ring),
      ) as [DurableSession, DurableSession];
      await writer.addItems([say('item 0')]);
      let writes = true;
      const reads = async () => {
        for (let read = 0; writes || read < 3; read++) {
          const items = briefs(await reader.getItems()).filter((item) => item !== brief(say('popped')));
          assert.deepEqual(items, briefs(sayAll('item', items.length)));
          assert.ok((await reader.getItems(2)).length > 0);
        }
      };
      const written = async () => {
        for (let n = 1; n < 15; n++) {
          await writer.addItems([say(`item ${n}`), say('popped')]);
          await writer.popItem();
        }
      };
      await Promise.all([
        reads(),
        written().finally(() => {
          writes = false;
        }),
      ]);
      await holds(reader, sayAll('item', 15));
    },
  },
  {
    title: 'many concurrent callers who begin an encrypted session all add to the same one',
    when: anyItem,
    async run(harness, capabilities) {
      const sessions = (await openTogether(harness, capabilities, 3)).map((session) => encrypted(session, ring));
      await Promise.all(
        sessions.map((session, index) =>
          index === 0
            ? appendOnce(session, 'operation-1', [say(`item ${index}`)])
            : session.addItems([say(`item ${index}`)]),
        ),
      );
      const items = await (sessions[0] as DurableSession).getItems();
      assert.deepEqual(briefs(items).sort(), briefs(sayAll('item', 3)));
    },
  },
];

export const encryption: SessionCaseGroup = {
  concern: 'encryption',
  cases: [...reads, ...refusals, ...order, ...callers].map(whereDurable),
};
