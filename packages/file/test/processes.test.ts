import { afterAll, describe, expect, it } from 'vitest';
import { FileSession, FileSessionStore, FileStore } from '../src/index.ts';
import { Child, together } from './child.ts';
import { batchOf, type Job, type TestItem } from './children/job.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const { path: root, remove } = temporaryDirectory();
let tests = 0;

/** A directory for one test; all are removed at the end. */
const place = () => `${root}/${tests++}`;
const openSession = (directory: string) => new FileSession<TestItem>({ directory, sessionId: 'chat' });
const range = (length: number) => Array.from({ length }, (_, index) => index);
const jobsOf = (count: number, job: Omit<Job, 'writer'>): Job[] =>
  range(count).map((n) => ({ ...job, writer: `w${n}` }));

/** Cuts a history into the batches that were appended; fails where one is not whole. */
function batchesOf(items: readonly TestItem[], size: number): { writer: string; batch: number }[] {
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

function expectOrderOfEach(
  writers: readonly string[],
  batches: readonly { writer: string; batch: number }[],
  times: number,
) {
  for (const writer of writers) {
    expect(batches.filter((one) => one.writer === writer).map(({ batch }) => batch)).toEqual(range(times));
  }
}

describe.concurrent('several processes', () => {
  it('append whole batches to one session, each once and in its writer’s order', async () => {
    const directory = place();
    const session = openSession(directory);
    const reads: TestItem[][] = [];
    let over = false;
    const reading = (async () => {
      while (!over) {
        reads.push(await session.getItems());
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const jobs = jobsOf(4, { task: 'append', directory, times: 25, size: 5 });
    await together(jobs).finally(() => {
      over = true;
    });
    await reading;

    const items = await openSession(directory).getItems();
    expect(items).toHaveLength(500);
    const batches = batchesOf(items, 5);
    expectOrderOfEach(['w0', 'w1', 'w2', 'w3'], batches, 25);
    expect(new Set(reads.map((read) => read.length)).size).toBeGreaterThan(2);
    for (const read of reads) expect(read).toEqual(items.slice(0, read.length));
    for (const read of reads) expect(read.length % 5).toBe(0);
  });

  it('pop each item once', async () => {
    const directory = place();
    const session = openSession(directory);
    await session.addItems(batchOf({ size: 200 }, 0));
    const children = await together(jobsOf(4, { task: 'pop', directory }));
    const popped = children.flatMap((child) => child.acknowledged.map((item) => Number(item.split(' ')[1])));
    expect(popped.sort((a, b) => a - b)).toEqual(range(200));
    for (const child of children) {
      const own = child.acknowledged.map((item) => Number(item.split(' ')[1]));
      expect(own).toEqual([...own].sort((a, b) => b - a));
    }
    expect(await session.getItems()).toEqual([]);
  });

  it('lose no update of one record, and no record', async () => {
    const directory = place();
    await together([
      ...jobsOf(2, { task: 'increment', directory, times: 25 }),
      ...jobsOf(2, { task: 'putMany', directory, times: 25, size: 4 }),
    ]);
    const store = new FileStore({ directory, name: 'memory' });
    expect(await store.get('counter')).toMatchObject({ content: '50', version: 50 });
    const { items } = await store.list({ limit: 1000, order: 'oldest' });
    const ids = items.map(({ id }) => id).filter((id) => id !== 'counter');
    expect(ids).toHaveLength(200);
    // Each batch stands together.
    for (const n of range(50)) {
      const [writer, batch] = (ids[n * 4] as string).split(' ');
      expect(ids.slice(n * 4, n * 4 + 4)).toEqual(range(4).map((index) => `${writer} ${batch} ${index}`));
    }
    expect(await store.search('heron', { maxSearchResults: 1000 })).toHaveLength(200);
  });

  it('use a directory for the first time at once', async () => {
    const directory = place();
    await together([
      ...jobsOf(6, { task: 'append', directory, size: 2 }),
      ...jobsOf(2, { task: 'putMany', directory, size: 2 }),
    ]);
    batchesOf(await openSession(directory).getItems(), 2);
    expect(await openSession(directory).getItems()).toHaveLength(12);
    expect((await new FileStore({ directory, name: 'memory' }).list()).items).toHaveLength(4);
  });

  it('append while another deletes the session: every batch is whole', async () => {
    const directory = place();
    const store = new FileSessionStore({ directory });
    const children = jobsOf(2, { task: 'append', directory, times: 150, size: 3 }).map(
      (job) => new Child('worker', job),
    );
    await Promise.all(children.map((child) => child.line('ready')));
    for (const child of children) child.go();
    let over = false;
    const ends = Promise.all(children.map((child) => child.line('done'))).finally(() => {
      over = true;
    });
    let deleted = 0;
    while (!over) {
      if (await store.delete('chat')) deleted++;
      const batches = batchesOf(await openSession(directory).getItems(), 3);
      for (const writer of ['w0', 'w1']) {
        const own = batches.filter((one) => one.writer === writer).map(({ batch }) => batch);
        // What was appended since the last deletion, without a gap.
        expect(own).toEqual(range(own.length).map((n) => (own[0] ?? 0) + n));
      }
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await ends;
    expect(deleted).toBeGreaterThan(0);
    for (const child of children) expect(child.acknowledged).toEqual(range(150).map(String));
    expect(await store.delete('chat')).toBeTypeOf('boolean');
    expect(await openSession(directory).getItems()).toEqual([]);
  });

  it('are killed while they append, 30 times: what was acknowledged is there, and the rest is whole or absent', async () => {
    const directory = place();
    const session = openSession(directory);
    let before: TestItem[] = [];
    for (const round of range(10)) {
      const jobs = range(3).map((n): Job => {
        // The longest batches take the longest to write.
        return { task: 'append', directory, writer: `${round}.${n}`, times: 100_000, size: 5, length: n * 20_000 };
      });
      const children = jobs.map((job) => new Child('worker', job));
      await Promise.all(children.map((child) => child.line('ready')));
      for (const child of children) child.go();
      await Promise.all(
        children.map(async (child, n) => {
          await child.line('ok');
          await new Promise((resolve) => setTimeout(resolve, n * 7 + round));
          child.kill('SIGKILL');
          await child.end;
        }),
      );
      await session.addItems(batchOf({ writer: `after ${round}`, size: 5 }, 0));
      const items = await openSession(directory).getItems();
      expect(await session.getItems()).toEqual(items);
      expect(items.slice(0, before.length)).toEqual(before);
      const batches = batchesOf(items, 5);
      for (const [n, child] of children.entries()) {
        const own = batches.filter((one) => one.writer === `${round}.${n}`).map(({ batch }) => batch);
        expect(own).toEqual(range(own.length));
        expect(own.length - child.acknowledged.length).toBeOneOf([0, 1]);
        expect(child.acknowledged.length).toBeGreaterThan(0);
      }
      before = items;
    }
  });
});

afterAll(remove);
