import { join } from 'node:path';
import { describeSessionProcesses } from '@keepsake/suites/sessions/processes';
import { inOtherProcesses } from '@keepsake/testing';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { SqliteSession, SqliteStore } from '../../src/index.ts';
import type { Job } from '../programs/put-batches.ts';
import type { Use } from '../programs/use-session.ts';
import { newFile } from '../temporary-file.ts';

const programs = join(import.meta.dirname, '../programs');
const PROCESSES = 8;
const BATCHES = rounds(100);

for (const durability of ['sync', 'os'] as const) {
  describeSessionProcesses(`in SQLite, durability '${durability}'`, join(programs, 'use-session.ts'), () => {
    const file = newFile();
    return {
      open: () => new SqliteSession({ file, durability, sessionId: 's' }),
      jobOf: (job) => JSON.stringify({ file, durability, job } satisfies Use),
    };
  });
}

it(`${PROCESSES} processes that put ${BATCHES} batches each into one store: every batch is whole, and no update of a counter is lost`, async (context) => {
  const file = newFile();
  const writers = Array.from({ length: PROCESSES }, (_, n) => `w${n}`);
  const jobs = writers.map((writer) => JSON.stringify({ file, writer, times: BATCHES } satisfies Job));
  const start = performance.now();
  await inOtherProcesses(join(programs, 'put-batches.ts'), jobs);
  const ms = performance.now() - start;

  const store = new SqliteStore({ file, name: 'memory' });
  const total = PROCESSES * BATCHES;
  expect(await store.get('counter')).toMatchObject({ content: `${total}`, version: putTimes(total) });
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ order: 'oldest', limit: 1_000, cursor });
    ids.push(...page.items.map(({ id }) => id).filter((id) => id !== 'counter'));
    ({ cursor } = page);
  } while (cursor !== undefined);
  expect(ids).toHaveLength(5 * total);
  const next = new Map<string, number>();
  for (let at = 0; at < ids.length; at += 5) {
    const [writer = '', batch] = (ids[at] as string).split(' ');
    expect(Number(batch)).toBe(next.get(writer) ?? 0);
    next.set(writer, Number(batch) + 1);
    expect(ids.slice(at, at + 5)).toEqual([0, 1, 2, 3, 4].map((index) => `${writer} ${batch} ${index}`));
  }
  expect(await store.search('heron', { maxSearchResults: 10_000 })).toHaveLength(5 * total);
  show(
    context,
    1,
    `in SQLite: ${PROCESSES} processes × ${BATCHES} batches × 5 records into one store, each with a raise of one counter: ${count(ids.length)} records, each batch once, contiguous and in its writer's order; the counter is at ${count(total)} (${Math.round(ms)} ms)`,
  );
});
