import assert from 'node:assert/strict';
import type { JsonObject } from '@keepsake/core';
import { holds, refuses } from './expect.ts';
import { anyItem, openTogether, type SessionCase, type SessionCaseGroup, shared, whereDurable } from './harness.ts';
import { call, say, sayAll } from './items.ts';
import { appendOnce, replaceOnce } from './transactions.ts';

const retries: SessionCase[] = [
  {
    title: 'the same operation again does nothing',
    async run(harness) {
      const session = harness.open();
      for (let time = 0; time < 3; time++) await appendOnce(session, 'operation-1', sayAll('item', 2));
      await holds(session, sayAll('item', 2));
    },
  },
  {
    title: 'the same operation again does nothing, even after other changes',
    async run(harness) {
      const session = harness.open();
      await appendOnce(session, 'operation-1', sayAll('item', 2));
      await session.addItems([say('more')]);
      await appendOnce(session, 'operation-2', [say('other')]);
      await appendOnce(session, 'operation-1', sayAll('item', 2));
      for (let time = 0; time < 4; time++) await session.popItem();
      await appendOnce(session, 'operation-1', sayAll('item', 2));
      await holds(session, []);
    },
  },
  {
    title: 'the same replacement again does nothing, though its suffix is gone',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 2));
      const replace = () => replaceOnce(session, 'operation-1', [say('item 1')], [say('new')]);
      await replace();
      await replace();
      await session.addItems([say('item 1')]);
      await replace();
      await holds(session, [say('item 0'), say('new'), say('item 1')]);
    },
  },
  {
    title: 'the same operation through another instance does nothing',
    when: shared,
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      await appendOnce(one, 'operation-1', [say('one')]);
      await appendOnce(other, 'operation-1', [say('one')]);
      await refuses('CONFLICT', () => appendOnce(other, 'operation-1', [say('two')]));
      await holds(one, [say('one')]);
    },
  },
  {
    title: 'a fingerprint identifies an operation instead of its items',
    async run(harness) {
      const session = harness.open();
      const append = (fingerprint: string, ...items: JsonObject[]) =>
        session.applyHistoryTransaction({
          operationId: 'operation-1',
          transaction: { type: 'append_items', items },
          fingerprint,
        });
      await append('a', say('one'));
      await append('a', say('other'));
      await refuses('CONFLICT', () => append('b', say('one')));
      await refuses('INVALID_ARGUMENT', () => append('', say('one')));
      await holds(session, [say('one')]);
    },
  },
  {
    title: 'operations are equal regardless of the order of fields',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await appendOnce(session, 'operation-1', [{ a: 1, b: { c: 2, d: [3] } }]);
      await appendOnce(session, 'operation-1', [{ b: { d: [3], c: 2 }, a: 1 }]);
      await holds(session, [{ a: 1, b: { c: 2, d: [3] } }]);
    },
  },
  {
    title: 'operations are equal even if one has an undefined field',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      const withUndefined = { a: 1, b: undefined, c: [{ d: undefined }] } as unknown as JsonObject;
      await appendOnce(session, 'operation-1', [{ a: 1, c: [{}] }]);
      await appendOnce(session, 'operation-1', [withUndefined]);
      await holds(session, [{ a: 1, c: [{}] }]);
    },
  },
  {
    title: 'a suffix is compared as JSON: the order of fields and undefined fields make no difference',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('before'), { a: 1, b: { c: 2, d: [{ e: -0 }] } }]);
      const suffix = { b: { d: [{ e: 0, f: undefined }], c: 2 }, g: undefined, a: 1 } as unknown as JsonObject;
      await replaceOnce(session, 'operation-1', [suffix], [say('after')]);
      await holds(session, [say('before'), say('after')]);
    },
  },
  {
    title: 'a suffix is compared exactly: null, numbers, strings and lists differ',
    when: anyItem,
    async run(harness) {
      const session = harness.open();
      await session.addItems([{ a: 1, b: ['x', 'y'], c: null }]);
      const others = [
        { a: '1', b: ['x', 'y'], c: null },
        { a: 1, b: ['y', 'x'], c: null },
        { a: 1, b: ['x', 'y'] },
        { a: 1, b: ['x', 'y'], c: null, d: null },
        { a: 1, b: { 0: 'x', 1: 'y' }, c: null },
      ];
      for (const other of others) {
        await refuses('CONFLICT', () => replaceOnce(session, 'operation-1', [other as JsonObject], []));
      }
      await holds(session, [{ a: 1, b: ['x', 'y'], c: null }]);
    },
  },
];

const conflicts: SessionCase[] = [
  {
    title: 'an operation id with other items is a conflict, and changes nothing',
    async run(harness) {
      const session = harness.open();
      await appendOnce(session, 'operation-1', [say('one')]);
      for (const items of [[say('two')], [say('one'), say('one')], []]) {
        await refuses('CONFLICT', () => appendOnce(session, 'operation-1', items));
      }
      await appendOnce(session, 'operation-1', [say('one')]);
      await holds(session, [say('one')]);
    },
  },
  {
    title: 'an operation id with another kind of transaction is a conflict',
    async run(harness) {
      const session = harness.open();
      await appendOnce(session, 'operation-1', [say('one')]);
      await refuses('CONFLICT', () => replaceOnce(session, 'operation-1', [], [say('one')]));
      await holds(session, [say('one')]);
    },
  },
  {
    title: 'an operation id with another suffix is a conflict, also where that suffix matches',
    async run(harness) {
      const session = harness.open();
      await session.addItems([say('one')]);
      await replaceOnce(session, 'operation-1', [say('one')], [say('two')]);
      await refuses('CONFLICT', () => replaceOnce(session, 'operation-1', [say('two')], [say('two')]));
      await holds(session, [say('two')]);
    },
  },
];

const memory: SessionCase[] = [
  {
    title: 'operation ids belong to their session',
    async run(harness) {
      const [one, other] = [harness.open(), harness.open()];
      await appendOnce(one, 'operation-1', [say('one')]);
      await appendOnce(other, 'operation-1', [say('other')]);
      await holds(one, [say('one')]);
      await holds(other, [say('other')]);
    },
  },
  {
    title: 'operation ids are literal and compared exactly',
    async run(harness) {
      const session = harness.open();
      const ids = [
        ...['__proto__', 'constructor', 'toString', 'a', 'A', 'ab', 'a*', 'a?', 'a%', 'a_', 'a:b', 'a/b', '../a', ' a'],
        ...[
          'a ',
          'a\n',
          '%2e',
          '.',
          'caf\u00e9',
          'cafe\u0301',
          '0',
          '00',
          '{a}',
          'x'.repeat(511),
          'x'.repeat(512),
          '🙂',
        ],
      ];
      for (const id of ids) await appendOnce(session, id, [say(id)]);
      for (const id of ids.toReversed()) await appendOnce(session, id, [say(id)]);
      await holds(session, ids.map(say));
    },
  },
  {
    title: 'mutations, compaction and pops leave operation ids known',
    async run(harness) {
      const session = harness.open();
      await appendOnce(session, 'operation-1', [call('c-1')]);
      const mutation = { type: 'replace_function_call' as const, callId: 'c-1', replacement: call('c-1', 'renamed') };
      await session.applyHistoryMutations({ mutations: [mutation] });
      await appendOnce(session, 'operation-1', [call('c-1')]);
      await session.replaceHistoryWithCompaction([say('summary')]);
      await appendOnce(session, 'operation-1', [call('c-1')]);
      await session.replaceHistoryWithCompaction([]);
      await appendOnce(session, 'operation-1', [call('c-1')]);
      await session.addItems([say('one')]);
      await session.popItem();
      await appendOnce(session, 'operation-1', [call('c-1')]);
      await refuses('CONFLICT', () => appendOnce(session, 'operation-1', [say('other')]));
      await holds(session, []);
    },
  },
  {
    // More than the 1,000 that a backend remembers however old they are.
    title: 'an operation id is known after 1,050 others and a compaction',
    async run(harness, capabilities) {
      const sessions = await openTogether(harness, capabilities, 2);
      const [session] = sessions;
      const retry = async () => {
        for (const one of sessions) {
          await appendOnce(one, 'first', [say('first')]);
          await refuses('CONFLICT', () => appendOnce(one, 'first', [say('other')]));
        }
      };
      await appendOnce(session, 'first', [say('first')]);
      for (let start = 0; start < 1_050; start += 50) {
        const ids = Array.from({ length: 50 }, (_, index) => `operation-${start + index}`);
        await Promise.all(ids.map((id) => appendOnce(session, id, [say(id)])));
      }
      await retry();
      assert.equal((await session.getItems()).length, 1_051);
      await session.replaceHistoryWithCompaction([say('summary')]);
      await appendOnce(session, 'last', [say('last')]);
      await retry();
      await holds(session, [say('summary'), say('last')]);
    },
  },
];

export const operationIds: SessionCaseGroup = {
  concern: 'operation ids',
  cases: [...retries, ...conflicts, ...memory].map(whereDurable),
};
