import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { describe, expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { Child, runTogether } from '../child.ts';
import { batchOf, type Job, recordId, type TestItem } from '../children/job.ts';
import { digestOf } from '../children/tasks.ts';
import { places } from './places.ts';

const { place } = places();
/** The batches per writer and the popped items: enough for all processes to overlap. */
const [BATCHES, POPS, CLIENTS] = [rounds(100, 5), rounds(500, 200), rounds(32, 8)];
const openSession = (directory: string) => new FileSession<TestItem>({ directory, sessionId: 'chat' });
const openStore = (directory: string) => new FileStore({ directory, name: 'memory' });
const range = (length: number) => Array.from({ length }, (_, index) => index);
const jobsOf = (number: number, job: Omit<Job, 'writer'>): Job[] =>
  range(number).map((n) => ({ ...job, writer: `w${n}` }));

/** Splits a history into the appended batches. Fails if one is not complete. */
function batchesOf(items: readonly Omit<TestItem, 'text'>[], size: number): { writer: string; batch: number }[] {
  expect(items.length % size).toBe(0);
  return range(items.length / size).map((n) => {
    const batch = items.slice(n * size, (n + 1) * size);
    const { writer, batch: number } = batch[0] as TestItem;
    expect(batch.map((item) => [item.writer, item.batch, item.index])).toEqual(
      range(size).map((index) => [writer, number, index]),
    );
    return { writer, batch: number };
  });
}

/** Fails unless each writer's batches are there once and in order. */
function expectOrderOfEach(writers: number, batches: readonly { writer: string; batch: number }[], times: number) {
  expect(batches).toHaveLength(writers * times);
  for (const writer of range(writers).map((n) => `w${n}`)) {
    expect(batches.filter((one) => one.writer === writer).map(({ batch }) => batch)).toEqual(range(times));
  }
}

/**
 * Fails unless each read was a prefix of the final state in complete batches of 5. Returns the number of reads and of
 * different lengths.
 */
function expectPrefixes(readers: readonly Child[], now: readonly string[]): { reads: number; lengths: number } {
  const digests = new Map<number, string>();
  const reads = readers.flatMap((reader) => reader.acknowledged.map((read) => read.split(' ')));
  for (const [length, digest] of reads) {
    const known = digests.get(Number(length)) ?? digestOf(now.slice(0, Number(length)));
    digests.set(Number(length), known);
    expect(Number(length) % 5).toBe(0);
    expect(digest).toBe(known);
  }
  for (const reader of readers) {
    const lengths = reader.acknowledged.map((read) => Number(read.split(' ')[0]));
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
  }
  return { reads: reads.length, lengths: digests.size };
}

async function idsOf(store: FileStore): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await store.list({ order: 'oldest', limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.cursor;
  }
  return ids;
}

/** Deletes a session repeatedly while processes append to it, and checks its items each time. */
async function appendAndDelete(writers: number, times: number): Promise<{ deleted: number; children: Child[] }> {
  const directory = place();
  const store = new FileSessionStore({ directory });
  const jobs = jobsOf(writers, { task: 'append', directory, times, size: 3 });
  const children = jobs.map((job) => new Child('worker', job));
  await Promise.all(children.map((child) => child.line('ready')));
  for (const child of children) child.go();
  let over = false;
  const ends = Promise.allSettled(children.map((child) => child.line('done'))).finally(() => {
    over = true;
  });
  let deleted = 0;
  while (!over) {
    if (await store.delete('chat')) deleted++;
    const batches = batchesOf(await openSession(directory).getItems(), 3);
    for (const { writer } of jobs) {
      const own = batches.filter((one) => one.writer === writer).map(({ batch }) => batch);
      // The batches since the last deletion, without gaps.
      expect(own).toEqual(range(own.length).map((n) => (own[0] ?? 0) + n));
    }
    await new Promise((resolve) => setTimeout(resolve, (deleted % 4) + 0.5));
  }
  for (const end of await ends) if (end.status === 'rejected') throw end.reason;
  expect(await store.delete('chat')).toBeTypeOf('boolean');
  expect(await openSession(directory).getItems()).toEqual([]);
  return { deleted, children };
}

/** Writes and reads again if hardly any read came during the writes, which a busy machine can cause. */
async function untilReadMeanwhile(writeAndRead: () => Promise<{ reads: number; lengths: number }>) {
  for (let attempt = 1; ; attempt++) {
    const seen = await writeAndRead();
    if (seen.lengths > 10) return seen;
    expect(attempt, 'attempts without reads during the writes').toBeLessThan(5);
  }
}

describe('8 processes', () => {
  it.for(['sync', 'os'] as const)(
    "append to one session while 2 others read prefixes of it, with durability '%s'",
    async (durability, context) => {
      const { reads, lengths } = await untilReadMeanwhile(async () => {
        const directory = place();
        const jobs = jobsOf(8, { task: 'append', directory, times: BATCHES, size: 5, durability });
        const readers = jobsOf(2, { task: 'keepReading', directory, times: 40 * BATCHES, durability });
        const children = await runTogether([...jobs, ...readers]);

        const items = await openSession(directory).getItems();
        expect(items).toHaveLength(40 * BATCHES);
        expectOrderOfEach(8, batchesOf(items, 5), BATCHES);
        const parts = items.map((item) => `${recordId(item)} ${item.text}`);
        return expectPrefixes(children.slice(8), parts);
      });
      show(
        context,
        1,
        `sessions, durability '${durability}': 8 processes x ${BATCHES} batches x 5 items: ${count(40 * BATCHES)} items, each batch once, contiguous and in its writer's order; 2 more processes read ${count(reads)} times, ${lengths} lengths, all prefixes of each other`,
      );
    },
  );

  it('put batches into one store while 2 others read prefixes of it', async (context) => {
    const { reads, lengths } = await untilReadMeanwhile(async () => {
      const directory = place();
      const jobs = jobsOf(8, { task: 'putMany', directory, times: BATCHES, size: 5 });
      const readers = jobsOf(2, { task: 'keepReadingRecords', directory, times: 40 * BATCHES });
      const children = await runTogether([...jobs, ...readers]);

      const ids = await idsOf(openStore(directory));
      expect(new Set(ids).size).toBe(40 * BATCHES);
      const items = ids.map((id) => {
        const [writer = '', batch, index] = id.split(' ');
        return { writer, batch: Number(batch), index: Number(index) };
      });
      expectOrderOfEach(8, batchesOf(items, 5), BATCHES);
      expect(await openStore(directory).search('heron', { maxSearchResults: 5000 })).toHaveLength(40 * BATCHES);
      return expectPrefixes(children.slice(8), ids);
    });
    show(
      context,
      1,
      `stores: 8 processes x ${BATCHES} batches x 5 records: ${count(40 * BATCHES)} records, each batch once, contiguous and in its writer's order; 2 more processes read ${count(reads)} times, ${lengths} lengths, all prefixes of each other`,
    );
  });

  it('lose no update of one record', async (context) => {
    const directory = place();
    await runTogether(jobsOf(8, { task: 'increment', directory, times: 25 }));
    expect(await openStore(directory).get('counter')).toMatchObject({ content: '200', version: putTimes(200) });
    show(context, 1, 'stores: 8 processes raise a counter 25 times each with ifVersion: it is 200');
  });

  it('append complete batches while another deletes the session', async (context) => {
    const least = rounds(6, 2);
    const figures = { batches: 0, deleted: 0 };
    // More rounds if the writers left hardly any time to delete.
    for (let round = 0; round < least || figures.deleted <= least; round++) {
      const { deleted, children } = await appendAndDelete(3, 60);
      for (const child of children) expect(child.acknowledged).toEqual(range(60).map(String));
      figures.deleted += deleted;
      figures.batches += children.length * 60;
    }
    show(
      context,
      1,
      `sessions: 3 processes append ${count(figures.batches)} batches while another deletes the session ${figures.deleted} times: 0 errors, 0 partial, 0 gaps`,
    );
  });

  it('pop each item once', async (context) => {
    let poppedBy: number[][];
    do {
      const directory = place();
      const session = openSession(directory);
      await session.addItems(batchOf({ size: POPS }, 0));
      const children = await runTogether(jobsOf(8, { task: 'pop', directory }));
      poppedBy = children.map((child) => child.acknowledged.map((item) => Number(item.split(' ')[1])));
      expect(poppedBy.flat().sort((a, b) => a - b)).toEqual(range(POPS));
      for (const own of poppedBy) expect(own).toEqual(own.toSorted((a, b) => b - a));
      expect(await session.getItems()).toEqual([]);
      // The first process can be done before the others begin.
    } while (poppedBy.filter((own) => own.length > 0).length === 1);
    show(
      context,
      2,
      `8 processes pop ${POPS} items: each returned once (${poppedBy.map((own) => own.length).join(' + ')}), 0 left`,
    );
  });

  it('apply an operation once if they send it at the same time', async (context) => {
    const directory = place();
    const job = { task: 'sameOperation', directory, times: 25, size: 3 } as const;
    await runTogether(jobsOf(4, job));
    const items = batchOf({ writer: 'all', size: 3 }, 0);
    expect(await openSession(directory).getItems()).toEqual(items);

    const sessions = range(10).map(() => openSession(directory));
    const operate = (n: number, operationId: string, content: TestItem[]) =>
      (sessions[n % 10] as FileSession<TestItem>).applyHistoryTransaction({
        operationId,
        transaction: { type: 'append_items', items: content },
      });
    const more = batchOf({ writer: 'more', size: 2 }, 0);
    await Promise.all(range(100).map((n) => operate(n, 'two', more)));
    expect(await openSession(directory).getItems()).toEqual([...items, ...more]);

    const conflicts = await Promise.allSettled(
      range(100).map((n) => operate(n, n % 2 === 0 ? 'one' : 'two', batchOf({ writer: `other ${n}` }, 0))),
    );
    for (const conflict of conflicts) {
      expect(conflict).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } });
    }
    expect(await openSession(directory).getItems()).toEqual([...items, ...more]);
    show(
      context,
      4,
      'one operation id 100 times at once by 4 processes, another by 10 instances: applied once each; 100 times with other content: 100 CONFLICT, history unchanged',
    );
  });
});

describe(`${CLIENTS} clients`, () => {
  it('can use a new directory at the same time, each in a separate process', async (context) => {
    const directory = place();
    await runTogether(jobsOf(CLIENTS, { task: 'firstUse', directory, size: 2 }));
    const batches = batchesOf(await openSession(directory).getItems(), 2);
    expectOrderOfEach(CLIENTS, batches, 1);
    expect(await idsOf(openStore(directory))).toHaveLength(2 * CLIENTS);
    show(
      context,
      5,
      `first use of a session and a store by ${CLIENTS} processes at once: 0 errors, ${2 * CLIENTS} items, ${2 * CLIENTS} records`,
    );
  });

  it('can use a new directory at the same time, all in one process', async (context) => {
    const times = rounds(20);
    for (let round = 0; round < times; round++) {
      const directory = place();
      const one = openSession(directory);
      await Promise.all(
        range(CLIENTS).flatMap((n) => [
          // Half of them share one instance.
          (n % 2 === 0 ? one : openSession(directory)).addItems(batchOf({ writer: `w${n}`, size: 2 }, 0)),
          openStore(directory).put({ id: `${n}`, content: 'heron' }),
          openSession(directory).getItems(),
          openStore(directory).search('heron'),
          new FileSessionStore({ directory }).list(),
        ]),
      );
      expectOrderOfEach(CLIENTS, batchesOf(await openSession(directory).getItems(), 2), 1);
      expect(await idsOf(openStore(directory))).toHaveLength(CLIENTS);
    }
    show(
      context,
      5,
      `first use by ${CLIENTS} clients at once in one process, with concurrent reads, ${times} times: 0 errors, all written data is there`,
    );
  });
});
