import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';
import { failureOf, holds, refuses } from './expect.ts';
import {
  type DurableHarness,
  type SessionCapabilities,
  type SessionCase,
  type SessionCaseGroup,
  whereDurable,
} from './harness.ts';
import { briefs, call, say, sayAll } from './items.ts';
import { replaceCall } from './mutations.ts';
import { appendOnce, replaceOnce } from './transactions.ts';

const canDamage = (capabilities: SessionCapabilities) => capabilities.canDamage === true;
const canFail = (capabilities: SessionCapabilities) => capabilities.canFail === true;

/** A session of ten items, some of them damaged, reopened if possible, and the remaining items. */
async function openDamaged(harness: DurableHarness, capabilities: SessionCapabilities, indexes: readonly number[]) {
  const session = harness.open();
  const items = sayAll('item', 10);
  await session.addItems(items);
  const sessionId = await session.getSessionId();
  for (const index of indexes) await harness.damage?.(sessionId, index);
  const left = items.filter((_, index) => !indexes.includes(index));
  return { session: capabilities.shared ? harness.open(sessionId) : session, left };
}

const damage: SessionCase[] = [
  {
    title: 'reads skip damaged items, and limits count only valid ones',
    when: canDamage,
    async run(harness, capabilities) {
      const { session, left } = await openDamaged(harness, capabilities, [0, 4, 8]);
      await holds(session, left);
      for (const limit of [1, 2, 3, 6, 7, 8, 100]) {
        assert.deepEqual(briefs(await session.getItems(limit)), briefs(left.slice(-limit)), `getItems(${limit})`);
      }
      assert.deepEqual(await session.getItems(0), []);
    },
  },
  {
    title: 'a session with damaged items accepts new ones',
    when: canDamage,
    async run(harness, capabilities) {
      const { session, left } = await openDamaged(harness, capabilities, [5, 9]);
      await session.addItems(sayAll('new', 2));
      await holds(session, [...left, ...sayAll('new', 2)]);
    },
  },
  whereDurable({
    title: 'a session with damaged items applies operations, each once',
    when: canDamage,
    async run(harness, capabilities) {
      const { session, left } = await openDamaged(harness, capabilities, [5, 9]);
      for (let time = 0; time < 2; time++) await appendOnce(session, 'operation-1', [say('newer')]);
      await holds(session, [...left, say('newer')]);
    },
  }),
  {
    title: 'popping a damaged item is refused as corrupt, and removes nothing',
    when: canDamage,
    async run(harness, capabilities) {
      const { session, left } = await openDamaged(harness, capabilities, [9]);
      await refuses('CORRUPT', () => session.popItem());
      await refuses('CORRUPT', () => session.popItem());
      await holds(session, left);
    },
  },
  whereDurable({
    title: 'compaction of a damaged history is refused as corrupt, and removes nothing',
    when: canDamage,
    async run(harness, capabilities) {
      const { session, left } = await openDamaged(harness, capabilities, [3]);
      await refuses('CORRUPT', () => session.replaceHistoryWithCompaction([say('summary')]));
      await holds(session, left);
    },
  }),
];

async function failsLoudly(action: () => Promise<unknown>): Promise<void> {
  const failure = await failureOf(action);
  assert.ok(isMemoryError(failure), `a failure of the backend came as ${String(failure)}`);
  const expected = ['BACKEND', 'TIMEOUT', 'OUTCOME_UNKNOWN', 'CORRUPT', 'CLOSED'];
  assert.ok(expected.includes(failure.code), `${failure.code} is not a code for a failure of the backend`);
}

/** A session of three items whose backend fails now. */
async function openFailing(harness: DurableHarness) {
  const session = harness.open();
  await session.addItems([say('one'), call('c-1'), say('two')]);
  await harness.fail?.();
  return session;
}

const failures: SessionCase[] = [
  {
    title: 'a read that fails is an error, never an empty history',
    when: canFail,
    async run(harness, capabilities) {
      const session = await openFailing(harness);
      const again = capabilities.shared ? harness.open(await session.getSessionId()) : session;
      for (const reader of [session, again]) {
        await failsLoudly(() => reader.getItems());
        await failsLoudly(() => reader.getItems(1));
      }
      await harness.heal?.();
      await holds(session, [say('one'), call('c-1'), say('two')]);
      await holds(again, [say('one'), call('c-1'), say('two')]);
    },
  },
  {
    title: 'a pop that fails is an error, never undefined',
    when: canFail,
    async run(harness) {
      const session = await openFailing(harness);
      await failsLoudly(() => session.popItem());
      await harness.heal?.();
      await holds(session, [say('one'), call('c-1'), say('two')]);
    },
  },
  {
    title: 'a failed write is an error, and the session works again when the backend does',
    when: canFail,
    async run(harness) {
      const session = await openFailing(harness);
      await failsLoudly(() => session.addItems([say('three')]));
      await failsLoudly(() => session.clearSession());
      await harness.heal?.();
      await holds(session, [say('one'), call('c-1'), say('two')]);
      await session.addItems([say('three')]);
      await holds(session, [say('one'), call('c-1'), say('two'), say('three')]);
    },
  },
  whereDurable({
    title: 'a failed rewrite of the history is an error, and changes nothing',
    when: canFail,
    async run(harness) {
      const session = await openFailing(harness);
      await failsLoudly(() => session.replaceHistoryWithCompaction([say('summary')]));
      await failsLoudly(() => session.applyHistoryMutations({ mutations: [replaceCall('c-1', call('c-1', 'new'))] }));
      await harness.heal?.();
      await holds(session, [say('one'), call('c-1'), say('two')]);
    },
  }),
  whereDurable({
    title: 'an operation that failed with its backend can be retried, and is applied once',
    when: canFail,
    async run(harness) {
      const session = await openFailing(harness);
      const append = () => appendOnce(session, 'operation-1', [say('three')]);
      const replace = () => replaceOnce(session, 'operation-2', [say('three')], [say('four')]);
      await failsLoudly(append);
      await harness.heal?.();
      await append();
      await append();
      await harness.fail?.();
      await failsLoudly(replace);
      await harness.heal?.();
      await replace();
      await replace();
      await holds(session, [say('one'), call('c-1'), say('two'), say('four')]);
    },
  }),
];

export const faults: SessionCaseGroup = { concern: 'damage and failure', cases: [...damage, ...failures] };
