import assert from 'node:assert/strict';
import type { DurableSession, JsonObject, SessionHistoryTransaction } from '@keepsake/core';
import { holds, refuses } from './expect.ts';
import { durable, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { say, sayAll } from './items.ts';

/** Appends in a transaction. */
export function appendOnce(session: DurableSession, operationId: string, items: JsonObject[]): Promise<void> {
  return session.applyHistoryTransaction({ operationId, transaction: { type: 'append_items', items } });
}

/** Replaces the end of the history in a transaction. */
export function replaceOnce(
  session: DurableSession,
  operationId: string,
  expectedSuffix: JsonObject[],
  replacement: JsonObject[],
): Promise<void> {
  return session.applyHistoryTransaction({
    operationId,
    transaction: { type: 'replace_suffix', expectedSuffix, replacement },
  });
}

const appends: SessionCase[] = [
  {
    title: 'append_items appends the items in order',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('before')]);
      await appendOnce(session, 'operation-1', sayAll('item', 3));
      await session.addItems([say('after')]);
      await holds(session, [say('before'), ...sayAll('item', 3), say('after')]);
    },
  },
  {
    title: 'operations with different ids are each applied, even with equal items',
    async run(harness) {
      const session = harness.open();
      for (const id of ['one', 'two', 'three']) await appendOnce(session, id, [say('same')]);
      await holds(session, [say('same'), say('same'), say('same')]);
    },
  },
];

const suffixes: SessionCase[] = [
  {
    title: 'replace_suffix replaces the end of the history',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 4));
      await replaceOnce(session, 'operation-1', sayAll('item', 4).slice(2), [say('a'), say('b'), say('c')]);
      await holds(session, [...sayAll('item', 2), say('a'), say('b'), say('c')]);
    },
  },
  {
    title: 'replace_suffix without a replacement removes the end',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 3));
      await replaceOnce(session, 'operation-1', sayAll('item', 3).slice(1), []);
      await holds(session, sayAll('item', 1));
    },
  },
  {
    title: 'replace_suffix of no items appends',
    async run(harness) {
      const session = harness.open();
      await replaceOnce(session, 'operation-1', [], sayAll('item', 2));
      await replaceOnce(session, 'operation-2', [], [say('more')]);
      await holds(session, [...sayAll('item', 2), say('more')]);
    },
  },
  {
    title: 'replace_suffix can replace the whole history',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 3));
      await replaceOnce(session, 'operation-1', sayAll('item', 3), [say('new')]);
      await holds(session, [say('new')]);
    },
  },
  {
    title: 'replace_suffix compares items, not batches',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 3));
      await session.addItems([say('last')]);
      await replaceOnce(session, 'operation-1', [say('item 2'), say('last')], [say('new')]);
      await holds(session, [say('item 0'), say('item 1'), say('new')]);
    },
  },
  {
    title: 'replace_suffix of equal items replaces only as many as it names',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('same'), say('same'), say('same')]);
      await replaceOnce(session, 'operation-1', [say('same')], [say('new')]);
      await holds(session, [say('same'), say('same'), say('new')]);
    },
  },
  mismatch('a suffix that the history does not end with is a conflict', [say('other')]),
  mismatch('a suffix that matches only at its end is a conflict', [say('other'), say('item 2')]),
  mismatch('a suffix that matches only at its start is a conflict', [say('item 1'), say('item 3')]),
  mismatch('a suffix in the middle of the history is a conflict', [say('item 0'), say('item 1')]),
  mismatch('a suffix in another order is a conflict', [say('item 2'), say('item 1')]),
  mismatch('a suffix longer than the history is a conflict', [say('earlier'), ...sayAll('item', 3)]),
  {
    title: 'a suffix of an empty session is a conflict',
    async run(harness) {
      const session = harness.open();
      await refuses('CONFLICT', () => replaceOnce(session, 'operation-1', [say('one')], [say('two')]));
      await holds(session, []);
    },
  },
  {
    title: 'an operation id that ended in a suffix conflict is not used up',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('one')]);
      await refuses('CONFLICT', () => replaceOnce(session, 'operation-1', [say('two')], [say('three')]));
      await session.addItems([say('two')]);
      await replaceOnce(session, 'operation-1', [say('two')], [say('three')]);
      await holds(session, [say('one'), say('three')]);
    },
  },
];

function mismatch(title: string, expectedSuffix: JsonObject[]): SessionCase {
  return {
    title,
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 3));
      await refuses('CONFLICT', () => replaceOnce(session, 'operation-1', expectedSuffix, [say('new')]));
      await holds(session, sayAll('item', 3));
    },
  };
}

const refusals: SessionCase[] = [
  {
    title: 'a transaction of an unknown kind is refused',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('before')]);
      const wrong = [undefined, null, {}, { type: 'prepend_items', items: [say('x')] }, { items: [say('x')] }];
      for (const transaction of wrong) {
        const args = { operationId: 'operation-1', transaction: transaction as SessionHistoryTransaction };
        await refuses('INVALID_ARGUMENT', () => session.applyHistoryTransaction(args));
      }
      await holds(session, [say('before')]);
    },
  },
  {
    title: 'a transaction without its lists is refused',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('before')]);
      const wrong = [
        { type: 'append_items' },
        { type: 'append_items', items: say('x') },
        { type: 'replace_suffix', replacement: [say('x')] },
        { type: 'replace_suffix', expectedSuffix: [say('before')] },
        { type: 'replace_suffix', expectedSuffix: say('before'), replacement: [] },
      ];
      for (const transaction of wrong) {
        const args = { operationId: 'operation-1', transaction: transaction as unknown as SessionHistoryTransaction };
        await refuses('INVALID_ARGUMENT', () => session.applyHistoryTransaction(args));
      }
      await holds(session, [say('before')]);
    },
  },
  {
    title: 'an operation id that is blank, too long or not a valid string is refused',
    async run(harness) {
      const session = harness.open();
      for (const id of ['', ' ', '\n\u3000', 'a\0b', 'a\ud800', '\udc00', 'x'.repeat(513), undefined, 7, null]) {
        await refuses('INVALID_ARGUMENT', () => appendOnce(session, id as string, [say('x')]), `for ${typeof id}`);
      }
      await holds(session, []);
    },
  },
  {
    title: 'an operation id that was refused with its transaction is not used up',
    async run(harness) {
      const session = harness.open();
      const bad = { ...say('one'), note: Number.NaN };
      await refuses('INVALID_ARGUMENT', () => appendOnce(session, 'operation-1', [bad]));
      await appendOnce(session, 'operation-1', [say('one')]);
      await holds(session, [say('one')]);
    },
  },
];

const plain: SessionCase[] = [
  {
    title: 'a plain Session has none of the methods of a DurableSession',
    when: (capabilities) => !durable(capabilities),
    async run(harness) {
      const session: Partial<DurableSession> = harness.open();
      assert.equal(session.applyHistoryTransaction, undefined);
      assert.equal(session.applyHistoryMutations, undefined);
      assert.equal(session.replaceHistoryWithCompaction, undefined);
    },
  },
];

export const transactions: SessionCaseGroup = {
  concern: 'transactions',
  cases: [...[...appends, ...suffixes, ...refusals].map(whereDurable), ...plain],
};
