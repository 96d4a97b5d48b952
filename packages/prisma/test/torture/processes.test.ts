import { count, show } from '@keepsake/testing/torture/figures';
import { describe, expect, it } from 'vitest';
import { PrismaSession } from '../../src/index.ts';
import { type Place, sharedDatabase } from '../databases.ts';
import { inOtherProcesses } from '../programs/in-other-processes.ts';
import type { Job } from '../programs/use-session.ts';

describe.each<Place>(['PostgreSQL', 'SQLite'])('eight processes on one session in %s', (place) => {
  const shared = sharedDatabase(place);

  function jobs(job: Omit<Job, 'url' | 'writer'>): string[][] {
    const { url } = shared.database;
    return Array.from({ length: 8 }, (_, index) => [JSON.stringify({ url, writer: `w${index}`, ...job })]);
  }

  it('that append: every batch is there once, whole, and each writer is in its order', async (context) => {
    const said = await inOtherProcesses('use-session.ts', jobs({ sessionId: 's', task: 'append', times: 100 }));
    const items = await new PrismaSession({ prisma: shared.database.prisma, sessionId: 's' }).getItems();
    expect(items).toHaveLength(4_000);
    const next = new Map<unknown, number>();
    for (let at = 0; at < items.length; at += 5) {
      const { writer, batch } = items[at] ?? {};
      expect(batch, `writer ${writer}`).toBe(next.get(writer) ?? 0);
      next.set(writer, Number(batch) + 1);
      for (let index = 0; index < 5; index++) expect(items[at + index]).toMatchObject({ writer, batch, index });
    }
    const whole = items.map(({ writer, batch, index }) => `${writer} ${batch} ${index}`);
    const reads = said.flat().filter((line) => line.startsWith('['));
    expect(reads).toHaveLength(8 * 5);
    for (const line of reads) {
      const read = JSON.parse(line) as string[];
      expect(read).toEqual(whole.slice(0, read.length));
    }
    show(
      context,
      1,
      `${place}: 8 processes × 100 batches × 5 items on one session: ${count(items.length)} items, each batch once and whole, each writer in its order, 40 reads in between all beginnings of the whole`,
    );
  });

  it('that pop: every item is given to one of them', async (context) => {
    const session = new PrismaSession({ prisma: shared.database.prisma, sessionId: 'popped' });
    await session.addItems(Array.from({ length: 500 }, (_, number) => ({ number })));
    const popped = (await inOtherProcesses('use-session.ts', jobs({ sessionId: 'popped', task: 'pop' }))).flat();
    expect(popped.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, number) => number));
    expect(await session.getItems()).toEqual([]);
    show(context, 2, `${place}: 8 processes popped ${count(popped.length)} items of one session, each exactly once`);
  });
});
