import { expect } from 'vitest';
import { listIds } from './follower.ts';
import { NAMESPACE, type RecordLogsCase } from './harness.ts';
import { ids, MANY, MANY_EXPIRED, put, putExpiring, remove } from './write-records.ts';

export const listingCases: readonly RecordLogsCase[] = [
  {
    title: 'list returns records in the order of creation, in both directions and in pages of any size',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('a', 10));
      await put(log, ['a3', 'b0', 'a1', 'b0', 'b1', 'a3']);
      await put(log, ['a3']);
      await remove(log, ['a5', 'a7']);
      await put(log, ['c', 'a7']);
      const expected = ['a0', 'a1', 'a2', 'a3', 'a4', 'a6', 'a8', 'a9', 'b0', 'b1', 'c', 'a7'];
      for (const limit of [1, 2, 3, 6, 11, 12, 13]) {
        expect(await listIds(log, 'oldest', limit), `oldest ${limit}`).toEqual(expected);
        expect(await listIds(log, 'newest', limit), `newest ${limit}`).toEqual(expected.toReversed());
      }
    },
  },
  {
    title: 'list of many records, of which half were replaced, is in the order of creation',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      const all = ids('r');
      await put(log, all);
      // All of one stretch, and every second one of another.
      await put(log, [...all.slice(0, 400), ...all.slice(500).filter((_, n) => n % 2 === 0)].toReversed());
      for (const limit of [499, 500, MANY, MANY + 1]) {
        expect(await listIds(log, 'oldest', limit), `oldest ${limit}`).toEqual(all);
        expect(await listIds(log, 'newest', limit), `newest ${limit}`).toEqual(all.toReversed());
      }
    },
  },
  {
    title: 'list leaves out records that have expired, and fills its pages nevertheless',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('a', 10));
      await put(log, ids('expired', MANY_EXPIRED), { ttlMs: 0 });
      await put(log, ids('b', 10));
      await putExpiring(log, ['a5', 'brief']);
      const expected = [...ids('a', 10), ...ids('b', 10)].filter((id) => id !== 'a5');
      for (const limit of [7, 15, 19, 20]) {
        expect(await listIds(log, 'oldest', limit), `oldest ${limit}`).toEqual(expected);
        expect(await listIds(log, 'newest', limit), `newest ${limit}`).toEqual(expected.toReversed());
      }
    },
  },
];
