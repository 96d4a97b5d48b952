import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MemoryManager, type MemoryRecord, type Page, type RecordStore } from '@keepsake/core';
import { startProgram } from '@keepsake/testing';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { expect, it } from 'vitest';
import type { FileStore } from '../../src/index.ts';
import { learningFrom } from '../programs/learning.ts';
import { places } from './places.ts';

const ROUNDS = rounds(100);
const { place } = places();

/** Runs the program, kills it `ms` after `turns` turns have ended, and returns the turns that ended. */
async function killed(directory: string, round: number, turns: number, ms: number): Promise<string[]> {
  const program = join(import.meta.dirname, '../programs/observe-and-learn.ts');
  const child = startProgram(program, [directory, String(round)]);
  let text = '';
  const enough = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.split('\nok').length >= turns) resolve();
    });
    child.once('close', () => resolve());
  });
  const end = once(child, 'close');
  await enough;
  await wait(ms);
  child.kill('SIGKILL');
  await end;
  const lines = text.split('\n').slice(0, -1);
  expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
  return lines.map((line) => line.slice(3));
}

async function recordsOf(store: RecordStore): Promise<MemoryRecord[]> {
  const records: MemoryRecord[] = [];
  let page: Page<MemoryRecord> | undefined;
  do {
    page = await store.list({ order: 'oldest', limit: 1_000, ...(page?.cursor ? { cursor: page.cursor } : {}) });
    records.push(...page.items);
  } while (page.cursor !== undefined);
  return records;
}

it('a process killed between the end of a turn and its extraction loses no completed turn', async (context) => {
  const random = randomOf('learning');
  const directory = place();
  const ended: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ended.push(...(await killed(directory, round, 1 + (round % 9), random() * 20)));
  }
  expect(ended.length).toBeGreaterThan(ROUNDS);

  const { stores, outbox } = learningFrom(directory);
  const [facts, talk] = stores as [FileStore, FileStore];
  const failures: unknown[] = [];
  const memory = new MemoryManager({
    stores,
    outbox,
    // However busy the machine is.
    search: { deadlineMs: 60_000 },
    telemetry: { onStoreError: (failure) => failures.push(failure) },
  });
  const recovered = await memory.recover();
  expect(failures).toEqual([]);
  expect(recovered).toMatchObject({ facts: { failed: 0 }, talk: { failed: 0 } });

  const learned = (await recordsOf(facts)).map(({ content }) => content.replace(/, as .*/, ''));
  expect(ended.filter((text) => !learned.includes(text))).toEqual([]);
  expect(learned.length).toBe(new Set(learned).size);
  const said = (await recordsOf(talk)).map(({ content }) => content);
  expect(
    ended.flatMap((text) => [`question of ${text}`, `answer of ${text}`]).filter((text) => !said.includes(text)),
  ).toEqual([]);
  expect(said.length).toBe(new Set(said).size);
  for (const { version } of await recordsOf(facts)) expect(version).toEqual(putTimes(1));
  expect(await recordsOf(outbox.within(['keepsake-outbox']))).toEqual([]);
  show(context, 38, `${ROUNDS} kills, ${count(ended.length)} turns ended, 0 lost, 0 learned twice`);
});
