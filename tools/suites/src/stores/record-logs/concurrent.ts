import type { RecordLog } from '@keepsake/search';
import { mulberry32 } from '@keepsake/testing/mulberry32';
import { expect } from 'vitest';
import { Follower } from './follower.ts';
import { NAMESPACE, type RecordLogsCase } from './harness.ts';
import { ids, MANY, put, remove, turn } from './write-records.ts';

const CHANGES = 60;

export const concurrentCases: readonly RecordLogsCase[] = [
  {
    title: 'followers never miss a change of concurrent writers, while they begin and after that',
    async run({ open }) {
      await put(open().open(NAMESPACE), ids('r'));
      let writers = 3;
      const writing = [1, 2, 3].map((seed) =>
        write(open().open(NAMESPACE), seed).finally(() => {
          writers--;
        }),
      );
      const following = [1, 2, 3].map(async (n) => {
        const log = open().open(NAMESPACE);
        const follower = new Follower(log);
        while (writers > 0) {
          // Some are always in the middle of their parts.
          for (let step = 0; step < n; step++) await follower.step();
          await turn();
        }
        await follower.expectUpToDate();
        // Far fewer deletions than those that make a backend forget some.
        expect(follower.begins).toBe(1);
        expect(follower.records.size).toBeGreaterThan(MANY / 2);
      });
      await Promise.all([...writing, ...following]);
    },
  },
];

/** Puts, replaces and deletes records, one and several at a time. */
async function write(log: RecordLog, seed: number): Promise<void> {
  const random = mulberry32(seed);
  const some = () => Array.from({ length: random() < 0.5 ? 1 : 4 }, () => `r${Math.floor(random() * MANY * 1.1)}`);
  for (let n = 0; n < CHANGES; n++) {
    if (random() < 0.3) await remove(log, [...new Set(some())]);
    else await put(log, some(), { content: `${seed} ${n}` });
    await turn();
  }
}
