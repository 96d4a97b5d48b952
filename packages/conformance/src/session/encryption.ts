import assert from 'node:assert/strict';
import { type DurableSession, encrypted, type JsonObject, type KeyRing } from '@keepsake/core';
import { makeBatches } from './concurrency.ts';
import { holds, holdsBatches, refuses, SECRET } from './expect.ts';
import { anyItem, openTogether, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { brief, briefs, call, say, sayAll } from './items.ts';
import { replaceCall } from './mutations.ts';
import { appendOnce, replaceOnce } from './transactions.ts';

function key(seed: number): Uint8Array {
  return new Uint8Array(32).fill(seed);
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
      await refuses('INVALID_ARGUMENT', () => appendOnce(session, '', [say(SECRET)]));
      await holds(plain, []);
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
];

export const encryption: SessionCaseGroup = {
  concern: 'encryption',
  cases: [...reads, ...refusals, ...callers].map(whereDurable),
};
