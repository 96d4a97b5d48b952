import { expect } from 'vitest';
import { Follower, upToDate } from './follower.ts';
import { NAMESPACE, type RecordLogsCase } from './harness.ts';
import { ids, put, remove } from './write-records.ts';

export const beginningCases: readonly RecordLogsCase[] = [
  {
    title: 'after the namespace was cleared, followers begin again',
    async run({ open }) {
      const [logs, other] = [open(), open().open(NAMESPACE)];
      const log = logs.open(NAMESPACE);
      await put(log, ['a', 'b', 'c']);
      const [before, meanwhile] = [await upToDate(other), await upToDate(other)];
      await log.clear();
      expect(await meanwhile.follow()).toEqual([]);
      expect(meanwhile.records.size).toBe(0);
      // As many changes as before.
      await put(log, ['a', 'd', 'e']);
      for (const [follower, begins] of [
        [before, [2]],
        [meanwhile, [2, 3]],
      ] as const) {
        await follower.expectUpToDate();
        expect([...follower.records.keys()]).toEqual(['a', 'd', 'e']);
        expect(begins).toContain(follower.begins);
      }
      await logs.clearTree(['user']);
      await put(log, ['f']);
      await before.expectUpToDate();
      expect(before.begins).toBe(3);
    },
  },
  {
    title: 'after the namespace was emptied and filled again, followers begin again',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b', 'c']);
      const follower = await upToDate(open().open(NAMESPACE));
      const position = follower.position;
      await remove(log, ['a', 'b']);
      await follower.expectUpToDate();
      await remove(log, ['c']);
      await put(log, ['b']);
      await follower.expectUpToDate();
      expect(follower.begins).toBe(2);
      expect(follower.position?.log).not.toBe(position?.log);
      // The numbers of the two can't be compared.
      expect((await log.changes({ log: 0, ...position, change: Number.MAX_SAFE_INTEGER, began: 0 })).isBeginning).toBe(
        true,
      );
    },
  },
  {
    title: 'after compact, whoever does not know of a deletion begins again, and others go on',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r', 20));
      const other = open().open(NAMESPACE);
      const behind = await upToDate(other);
      await remove(log, ['r3']);
      const partly = await upToDate(other);
      await put(log, ['r4']);
      await remove(log, ['r5']);
      const upTo = await upToDate(other);
      await log.compact();
      await put(log, ['r6']);
      for (const [follower, begins] of [
        [behind, 2],
        [partly, 2],
        [upTo, 1],
      ] as const) {
        await follower.expectUpToDate();
        expect(follower.begins).toBe(begins);
      }
    },
  },
  {
    title: 'whoever begins needs no deletion that came before, though it is forgotten between two parts',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r'));
      await remove(log, ids('r', 5));
      const follower = new Follower(log);
      expect((await follower.step()).isLast).toBe(false);
      await log.compact();
      await put(log, ['new']);
      await follower.expectUpToDate();
      expect(follower.begins).toBe(1);
    },
  },
  {
    title: 'a deletion that is forgotten between two parts is not missed',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r'));
      const follower = new Follower(log);
      const [first] = (await follower.step()).changes;
      await remove(log, ['record' in (first as object) ? (first as { record: { id: string } }).record.id : '']);
      await log.compact();
      await follower.expectUpToDate();
      expect(follower.begins).toBe(2);
    },
  },
  {
    title: '`began` is the last change when the first part was read',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ids('r'));
      await remove(log, ['r0']);
      const last = (await upToDate(log)).position?.change ?? 0;
      const follower = new Follower(log);
      const { began } = await follower.step();
      expect(began).toBeGreaterThanOrEqual(last);
      await put(log, ['later']);
      await follower.follow();
      expect(follower.position?.began).toBe(began);
      expect(follower.records.get('later')?.change).toBeGreaterThan(began);
    },
  },
];
