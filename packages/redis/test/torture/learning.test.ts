import { setTimeout as wait } from 'node:timers/promises';
import { MemoryManager, type MemoryRecord, type Page, type RecordStore } from '@keepsake/core';
import { startRedis } from '@keepsake/services';
import { putTimes } from '@keepsake/testing/put-times';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { expect, it } from 'vitest';
import { learningFrom } from '../programs/learning.ts';
import { runProgram } from './run-program.ts';

// Every tenth round and the last also kill the server.
const ROUNDS = rounds(100, 3);

async function recordsOf(store: RecordStore): Promise<MemoryRecord[]> {
  const records: MemoryRecord[] = [];
  let page: Page<MemoryRecord> | undefined;
  do {
    page = await store.list({ order: 'oldest', limit: 1_000, ...(page?.cursor ? { cursor: page.cursor } : {}) });
    records.push(...page.items);
  } while (page.cursor !== undefined);
  return records;
}

it('no ended turn is lost if its process is killed before extraction', async (context) => {
  const random = randomOf('learning');
  const server = await startRedis({ appendOnly: 'always' });
  const ended: string[] = [];
  let serverKills = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const program = runProgram('observe-and-learn', server.url, String(round));
    await program.printed(1 + (round % 9));
    await wait(random() * 20);
    const lines = await program.kill();
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
    ended.push(...lines.map((line) => line.slice('ok '.length)));
    if (round % 10 === 9 || round === ROUNDS - 1) {
      await server.kill();
      await server.restart();
      serverKills++;
    }
  }
  expect(ended.length).toBeGreaterThan(ROUNDS);

  const { stores, outbox, disconnect } = learningFrom(server.url);
  const [facts, talk] = stores;
  const failures: unknown[] = [];
  const memory = new MemoryManager({
    stores: [...stores],
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
  const messages = ended.flatMap((text) => [`question of ${text}`, `answer of ${text}`]);
  expect(messages.filter((text) => !said.includes(text))).toEqual([]);
  expect(said.length).toBe(new Set(said).size);
  for (const { version } of await recordsOf(facts)) expect(version).toEqual(putTimes(1));
  expect(await recordsOf(outbox.within(['keepsake-outbox']))).toEqual([]);
  disconnect();
  await server.stop();
  show(
    context,
    38,
    `${ROUNDS} kills, ${serverKills} of them with the server, ${count(ended.length)} turns ended, 0 lost, 0 learned twice`,
  );
});
