import assert from 'node:assert/strict';
import { refuses } from './expect.ts';
import type { DurableHarness, SessionCase, SessionCaseGroup } from './harness.ts';
import { briefs, sayAll } from './items.ts';

/** A limit, and the expected number of items of a history of five. */
function limitCase(title: string, expectations: readonly (readonly [limit: number | undefined, count: number])[]) {
  return {
    title,
    async run(harness: DurableHarness) {
      const session = harness.open();
      const items = sayAll('item', 5);
      await session.addItems(items);
      for (const [limit, count] of expectations) {
        const expected = briefs(items).slice(5 - count);
        assert.deepEqual(briefs(await session.getItems(limit)), expected, `getItems(${limit})`);
      }
    },
  } satisfies SessionCase;
}

const limits: SessionCase[] = [
  limitCase('a limit returns the newest items, oldest first', [
    [2, 2],
    [4, 4],
  ]),
  limitCase('a limit of 1 returns the newest item', [[1, 1]]),
  limitCase('a limit of the length of the history, or above, gives the whole history', [
    [5, 5],
    [6, 5],
    [1_000_000, 5],
  ]),
  limitCase('a limit that is infinite or very large gives the whole history', [
    [Number.POSITIVE_INFINITY, 5],
    [Number.MAX_SAFE_INTEGER, 5],
    [Number.MAX_VALUE, 5],
  ]),
  limitCase('a limit of 0 gives no items', [
    [0, 0],
    [-0, 0],
  ]),
  limitCase('a limit below 0 gives no items', [
    [-1, 0],
    [-0.5, 0],
    [-5, 0],
    [Number.NEGATIVE_INFINITY, 0],
  ]),
  limitCase('a limit with a fraction rounds up', [
    [1.5, 2],
    [0.2, 1],
    [4.0001, 5],
  ]),
  limitCase('a limit of undefined gives the whole history', [[undefined, 5]]),
  limitCase('a limit of NaN gives the whole history', [[Number.NaN, 5]]),
];

const cases: SessionCase[] = [
  {
    title: 'a new session has no items, with any limit',
    async run(harness) {
      const session = harness.open();
      for (const limit of [undefined, Number.NaN, 0, -1, 1, 1.5, 100]) {
        assert.deepEqual(await session.getItems(limit), [], `getItems(${limit})`);
      }
    },
  },
  {
    title: 'without a limit, the whole history is returned, oldest first',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 12);
      for (let start = 0; start < 12; start += 3) await session.addItems(items.slice(start, start + 3));
      assert.deepEqual(briefs(await session.getItems()), briefs(items));
    },
  },
  ...limits,
  {
    title: 'a limit counts items, regardless of batches',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 9);
      for (let start = 0; start < 9; start += 3) await session.addItems(items.slice(start, start + 3));
      for (let limit = 1; limit <= 9; limit++) {
        assert.deepEqual(briefs(await session.getItems(limit)), briefs(items.slice(-limit)), `getItems(${limit})`);
      }
    },
  },
  {
    title: 'no default window shortens a long history',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 1_100);
      for (let start = 0; start < 1_100; start += 550) await session.addItems(items.slice(start, start + 550));
      assert.deepEqual(briefs(await session.getItems()), briefs(items));
    },
  },
  {
    title: 'a large limit returns that many items, regardless of internal pages',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 1_100);
      await session.addItems(items);
      for (const limit of [99, 101, 1_001]) {
        assert.deepEqual(briefs(await session.getItems(limit)), briefs(items.slice(-limit)), `getItems(${limit})`);
      }
    },
  },
  {
    title: 'a limit that is not a number is refused',
    async run(harness) {
      const session = harness.open();
      await session.addItems(sayAll('item', 3));
      for (const limit of ['2', {}, true]) {
        await refuses('INVALID_ARGUMENT', () => session.getItems(limit as unknown as number), `for ${typeof limit}`);
      }
    },
  },
  {
    title: 'reading changes nothing',
    async run(harness) {
      const session = harness.open();
      const items = sayAll('item', 4);
      await session.addItems(items);
      for (const limit of [2, 0, -1, 1, 4, undefined, undefined]) await session.getItems(limit);
      assert.deepEqual(briefs(await session.getItems()), briefs(items));
    },
  },
];

export const reading: SessionCaseGroup = { concern: 'reading', cases };
