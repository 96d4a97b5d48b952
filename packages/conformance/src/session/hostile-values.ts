import type { DurableSession, JsonObject, SessionHistoryMutation } from '@keepsake/core';
import fc from 'fast-check';
import { readsOnce, refusesThrowing, unfitObjects, withHidden } from '../hostile-values.ts';
import { holds, refuses } from './expect.ts';
import { anyItem, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { answer, briefs, call, say } from './items.ts';
import { appendOnce } from './transactions.ts';

type Transaction = Parameters<DurableSession['applyHistoryTransaction']>[0];

const append: Transaction = { operationId: 'a', transaction: { type: 'append_items', items: [answer('new')] } };

const replace: Transaction = {
  operationId: 'b',
  transaction: { type: 'replace_suffix', expectedSuffix: [say('before')], replacement: [answer('new')] },
};

const mutate: { mutations: SessionHistoryMutation[] } = {
  mutations: [{ type: 'replace_function_call', callId: 'c-1', replacement: call('c-1', 'renamed') }],
};

const cases: SessionCase[] = [
  {
    title: 'items that throw when they are read are refused, and nothing is added',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('before')]);
      await refusesThrowing([say('one'), answer('two')], (items) => session.addItems(items));
      await holds(session, [say('before')]);
    },
  },
  whereDurable({
    title: 'changes whose arguments throw when they are read are refused, and nothing changes',
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1'), say('before')]);
      for (const args of [append, replace]) await refusesThrowing(args, (one) => session.applyHistoryTransaction(one));
      await refusesThrowing(mutate, (args) => session.applyHistoryMutations(args));
      await refusesThrowing([answer('summary')], (items) => session.replaceHistoryWithCompaction(items));
      await holds(session, [call('c-1'), say('before')]);
    },
  }),
  {
    title: 'items are read once: what was checked is what is stored',
    async run(harness) {
      const session = harness.open();
      await readsOnce([say('one'), answer('two')], async (items) => {
        await session.addItems(items);
        return briefs([await session.popItem(), await session.popItem()] as JsonObject[]);
      });
      await holds(session, []);
    },
  },
  whereDurable({
    title: 'the arguments of changes are read once',
    async run(harness) {
      const session = harness.open();
      for (const args of [append, replace]) {
        await readsOnce(args, async (one) => {
          await session.clearSession();
          await session.addItems([say('before')]);
          await session.applyHistoryTransaction(one);
          // The operation is known by what was stored.
          await session.applyHistoryTransaction(args);
          return briefs(await session.getItems());
        });
      }
      await readsOnce(mutate, async (args) => {
        await session.replaceHistoryWithCompaction([call('c-1')]);
        await session.applyHistoryMutations(args);
        return briefs(await session.getItems());
      });
      await readsOnce([answer('summary')], async (items) => {
        await session.replaceHistoryWithCompaction(items);
        return briefs(await session.getItems());
      });
    },
  }),
  whereDurable({
    title: 'unknown and hidden fields of a transaction are refused, also if its id is known',
    async run(harness) {
      const session = harness.open();
      const { operationId, transaction } = append;
      const wrong = [
        { ...append, transaction: { ...transaction, position: 0 } },
        { ...append, transaction: { ...transaction, expectedSuffix: [] } },
        { ...append, transaction: withHidden({ ...transaction }, 'position', 0) },
        { ...replace, transaction: { ...replace.transaction, items: [] } },
        { ...append, session: 'other' },
        withHidden({ ...append }, 'session', 'other'),
      ] as Transaction[];
      for (const args of wrong) await refuses('INVALID_ARGUMENT', () => session.applyHistoryTransaction(args));
      await holds(session, []);
      await session.applyHistoryTransaction(append);
      for (const args of wrong) await refuses('INVALID_ARGUMENT', () => session.applyHistoryTransaction(args));
      await session.applyHistoryTransaction({ operationId, transaction: { ...transaction, note: undefined } as never });
      await holds(session, [answer('new')]);
    },
  }),
  whereDurable({
    title: 'an operation id with an item that has another field is a conflict',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await appendOnce(session, 'operation-1', [say('one')]);
      for (const item of [
        { ...say('one'), note: null },
        { ...say('one'), '': 0 },
      ]) {
        await refuses('CONFLICT', () => appendOnce(session, 'operation-1', [item]));
      }
      await holds(session, [say('one')]);
    },
  }),
  whereDurable({
    title: 'unknown fields of mutations are refused, and nothing changes',
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1')]);
      const [mutation] = mutate.mutations;
      for (const args of [
        { mutations: [{ ...mutation, index: 1 }] },
        { mutations: [withHidden({ ...mutation }, 'index', 1)] },
        { ...mutate, session: 'other' },
        undefined,
        null,
      ] as (typeof mutate)[]) {
        await refuses('INVALID_ARGUMENT', () => session.applyHistoryMutations(args));
      }
      await holds(session, [call('c-1')]);
    },
  }),
  {
    title: 'a list of items is read by its indexes, whatever its iterator and methods do',
    async run(harness) {
      const session = harness.open();
      const none = () => [][Symbol.iterator]();
      class Liar extends Array<JsonObject> {}
      Object.assign(Liar.prototype, { [Symbol.iterator]: none, entries: none, map: none, every: () => true });
      await session.addItems(Liar.from([say('one'), answer('two')]) as JsonObject[]);
      await holds(session, [say('one'), answer('two')]);
    },
  },
  {
    title: 'any item with a part that is not JSON or that throws is refused, and nothing is added',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('before')]);
      await fc.assert(
        fc.asyncProperty(unfitObjects, async (make) => {
          await refuses('INVALID_ARGUMENT', () => session.addItems([say('one'), make() as JsonObject]));
        }),
        { numRuns: 60 },
      );
      await holds(session, [say('before')]);
    },
  },
  whereDurable({
    title: 'any change with a part that is not JSON or that throws is refused, and nothing changes',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await session.addItems([call('c-1')]);
      await fc.assert(
        fc.asyncProperty(unfitObjects, async (make) => {
          const item = () => make() as JsonObject;
          const mutation = { type: 'replace_function_call' as const, callId: 'c-1' };
          for (const attempt of [
            () => appendOnce(session, 'a', [item()]),
            () => session.applyHistoryMutations({ mutations: [{ ...mutation, replacement: item() }] }),
            () => session.replaceHistoryWithCompaction([item()]),
          ]) {
            await refuses('INVALID_ARGUMENT', attempt);
          }
        }),
        { numRuns: 30 },
      );
      await holds(session, [call('c-1')]);
    },
  }),
];

export const hostileValues: SessionCaseGroup = { concern: 'hostile values', cases };
