import assert from 'node:assert/strict';
import { type DurableSession, isMemoryError, type JsonObject } from '@keepsake/core';
import { batchesIn, makeBatches, writeInTurn } from './concurrency.ts';
import { failureOf, holds, holdsBatches, refuses } from './expect.ts';
import { openTogether, type SessionCase, type SessionCaseGroup, whereDurable } from './harness.ts';
import { brief, briefs, call, say, sayAll } from './items.ts';
import { replaceCall } from './mutations.ts';
import { appendOnce, replaceOnce } from './transactions.ts';

const cases: SessionCase[] = [
  {
    title: 'an operation sent 100 times concurrently is applied once, and other content is a conflict',
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      const send = (index: number) => appendOnce(index % 2 === 0 ? one : other, 'operation-1', sayAll('item', 3));
      await Promise.all(Array.from({ length: 100 }, (_, index) => send(index)));
      await holds(one, sayAll('item', 3));
      await refuses('CONFLICT', () => appendOnce(other, 'operation-1', [say('other')]));
      await holds(other, sayAll('item', 3));
    },
  },
  {
    title: 'of two concurrent contents under one operation id, one is applied, and the other is always a conflict',
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      const failures = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const content = [say(index % 2 === 0 ? 'even' : 'odd')];
          return failureOf(() => appendOnce(index < 10 ? one : other, 'operation-1', content));
        }),
      );
      const items = await one.getItems();
      assert.equal(items.length, 1);
      const winner = brief(items[0] as JsonObject) === 'even' ? 0 : 1;
      for (const [index, failure] of failures.entries()) {
        if (index % 2 === winner) assert.equal(failure, undefined);
        else assert.ok(isMemoryError(failure, 'CONFLICT'), String(failure));
      }
    },
  },
  {
    title: 'different concurrent operations are each applied once',
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      const batches = makeBatches(30, 3);
      const send = (session: DurableSession) => batches.map((batch, index) => appendOnce(session, `o-${index}`, batch));
      await Promise.all([...send(one), ...send(other)]);
      holdsBatches(await one.getItems(), batches);
    },
  },
  {
    title: 'of many concurrent replacements of a suffix, one wins, and the others get a conflict',
    async run(harness, capabilities) {
      const sessions = await openTogether(harness, capabilities, 12);
      await sessions[0].addItems([say('start'), say('end')]);
      const failures = await Promise.all(
        sessions.map((session, index) =>
          failureOf(() => replaceOnce(session, `o-${index}`, [say('end')], [say(`by ${index}`), say('more')])),
        ),
      );
      const winners = failures.flatMap((failure, index) => (failure === undefined ? [index] : []));
      assert.equal(winners.length, 1, `${winners.length} of them won`);
      for (const failure of failures) assert.ok(failure === undefined || isMemoryError(failure, 'CONFLICT'));
      await holds(sessions[0], [say('start'), say(`by ${winners[0]}`), say('more')]);
    },
  },
  {
    title: 'mutations during appends lose no append',
    async run(harness, capabilities) {
      const [one, other] = await openTogether(harness, capabilities, 2);
      await one.addItems([call('c-1'), say('start'), call('c-1')]);
      const batches = makeBatches(20, 3);
      const mutate = async () => {
        for (let time = 0; time < 5; time++) {
          await other.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', `new ${time}`))] });
        }
      };
      await Promise.all([...batches.map((batch) => one.addItems(batch)), mutate()]);
      const items = await one.getItems();
      assert.deepEqual(briefs(items.slice(0, 2)), briefs([call('c-1', 'new 4'), say('start')]));
      holdsBatches(items.slice(2), batches);
    },
  },
  {
    title: 'concurrent mutations of different calls are all applied',
    async run(harness, capabilities) {
      const sessions = await openTogether(harness, capabilities, 10);
      await sessions[0].addItems(sessions.map((_, index) => call(`c-${index}`)));
      await Promise.all(
        sessions.map((session, index) =>
          session.applyHistoryMutations({ mutations: [replaceCall(`c-${index}`, call(`c-${index}`, 'new'))] }),
        ),
      );
      await holds(
        sessions[0],
        sessions.map((_, index) => call(`c-${index}`, 'new')),
      );
    },
  },
  {
    title: 'compaction during appends splits no batch and writes none twice',
    async run(harness, capabilities) {
      const [one, ...writers] = await openTogether(harness, capabilities, 5);
      await one.addItems(sayAll('old', 5));
      const batches = makeBatches(40, 3);
      const compact = async () => {
        for (let time = 0; time < 2; time++) await one.replaceHistoryWithCompaction([say('summary'), say('kept')]);
      };
      await Promise.all([writeInTurn(writers, batches), compact()]);
      const items = await one.getItems();
      assert.deepEqual(briefs(items.slice(0, 2)), ['summary', 'kept']);
      holdsBatches(items.slice(2), batchesIn(items, batches));
    },
  },
  {
    title: 'concurrent compactions leave one of them, whole',
    async run(harness, capabilities) {
      const sessions = await openTogether(harness, capabilities, 10);
      await sessions[0].addItems(sayAll('old', 3));
      await Promise.all(
        sessions.map((session, index) => session.replaceHistoryWithCompaction(sayAll(`summary ${index}`, 3))),
      );
      const items = await sessions[0].getItems();
      const winner = /^summary (\d) 0$/.exec(brief(items[0] as JsonObject))?.[1];
      await holds(sessions[1], sayAll(`summary ${winner}`, 3));
    },
  },
];

export const concurrentChanges: SessionCaseGroup = {
  concern: 'concurrent changes',
  cases: cases.map(whereDurable),
};
