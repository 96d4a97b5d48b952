import { join } from 'node:path';
import { inOtherProcesses } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { SqliteSession, SqliteSessionStore, SqliteStore } from '../src/index.ts';
import type { Job } from './programs/keep-writing.ts';
import { newFile } from './temporary-file.ts';

const PROCESSES = rounds(4, 2);
const TIMES = 25;

it('processes that use a new file at the same time create it once and lose nothing', async () => {
  const file = newFile();
  const writers = Array.from({ length: PROCESSES }, (_, n) => `w${n}`);
  const jobs = writers.map((writer): Job => ({ file, writer, times: TIMES }));
  await inOtherProcesses(
    join(import.meta.dirname, 'programs/keep-writing.ts'),
    jobs.map((job) => JSON.stringify(job)),
  );
  const items = await new SqliteSession({ file, sessionId: 's' }).getItems();
  const store = new SqliteStore({ file, name: 'memory' });
  const { items: records } = await store.list({ order: 'oldest', limit: 1_000 });
  expect(items).toHaveLength(PROCESSES * TIMES);
  expect(records).toHaveLength(PROCESSES * TIMES);
  expect(await store.search('heron', { maxSearchResults: 1_000 })).toHaveLength(PROCESSES * TIMES);
  const inOrder = Array.from({ length: TIMES }, (_, batch) => batch);
  for (const writer of writers) {
    expect(items.filter((item) => item.writer === writer).map(({ batch }) => batch)).toEqual(inOrder);
    const ids = records.map(({ id }) => id).filter((id) => id.startsWith(`${writer} `));
    expect(ids).toEqual(inOrder.map((batch) => `${writer} ${batch}`));
  }
});

it('popItem returns each item once among 500 concurrent callers', async () => {
  const file = newFile();
  const sessions = new SqliteSessionStore({ file, durability: 'os' });
  await sessions.open('s').addItems(Array.from({ length: 500 }, (_, n) => ({ n })));
  const popped = await Promise.all(Array.from({ length: 501 }, () => sessions.open('s').popItem()));
  expect(popped.filter((item) => item === undefined)).toHaveLength(1);
  expect(new Set(popped.map((item) => item?.n)).size).toBe(501);
  expect(await sessions.open('s').getItems()).toEqual([]);
});
