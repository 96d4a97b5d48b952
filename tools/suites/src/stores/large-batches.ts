import type { RecordInput, RecordStore } from '@keepsake/core';
import { stepClock } from '@keepsake/testing';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it } from 'vitest';

const RECORDS = 60;
const WORDS = 150;

/** So much text that it is analysed in steps. With `stepClock`, each record takes one. */
export function largeBatch(): RecordInput[] {
  return Array.from({ length: RECORDS }, (_, n) => ({
    id: `${n}`,
    content: Array.from({ length: WORDS }, (_, word) => `w${n}x${word}`).join(' '),
  }));
}

/** How often the event loop turns until something is so. */
export async function turnsUntil(isSo: () => boolean): Promise<number> {
  let turns = 0;
  for (; !isSo(); turns++) await new Promise((resolve) => setImmediate(resolve));
  return turns;
}

/** Batches whose texts take longer to analyse than the event loop may stop, in a store that does its work at once. */
export function describeLargeBatches(name: string, open: () => RecordStore): void {
  describe(`large batches in ${name}`, () => {
    it('the event loop turns while their texts are analysed', async () => {
      stepClock(6);
      let isDone = false;
      const put = open()
        .putMany(largeBatch())
        .then(() => {
          isDone = true;
        });
      expect(await turnsUntil(() => isDone)).toBeGreaterThan(10);
      await put;
    });

    it('later changes of the same store come later, also if they are not awaited', async () => {
      const store = open();
      const batch = store.putMany(largeBatch());
      const put = store.put({ id: '7', content: 'heron' });
      await batchHasBegun();
      const deleted = store.delete('8');
      await Promise.all([batch, put]);
      expect(await deleted).toBe(true);
      expect(await store.get('7')).toMatchObject({ content: 'heron', version: putTimes(2) });
      expect(await store.get('8')).toBeUndefined();
      expect((await store.search('heron')).map(({ id }) => id)).toEqual(['7']);
      expect((await store.search('w9x9')).map(({ id }) => id)).toEqual(['9']);
      const again = store.putMany(largeBatch());
      await batchHasBegun();
      await Promise.all([again, store.clear()]);
      expect((await store.list()).items).toEqual([]);
    });

    it('a put that is aborted meanwhile changes nothing', async () => {
      const store = open();
      const [long] = largeBatch() as [RecordInput];
      const controller = new AbortController();
      const content = `${long.content} `.repeat(50);
      const put = store.put({ ...long, content }, { signal: controller.signal });
      controller.abort();
      await expect(put).rejects.toMatchObject({ code: 'ABORTED' });
      expect((await store.list()).items).toEqual([]);
    });
  });
}

/** The calls of one tick begin in an order of their own: a deletion has less to check. */
async function batchHasBegun(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve();
}
