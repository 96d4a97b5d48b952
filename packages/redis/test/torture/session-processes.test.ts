import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { RedisSession } from '../../src/index.ts';
import { freshPrefix, sharedRedis } from '../connections.ts';
import { inOtherProcesses, OtherProcess } from '../programs/in-other-processes.ts';
import type { Job } from '../programs/use-session.ts';

const shared = sharedRedis();

function jobs(count: number, job: Omit<Job, 'url' | 'writer'>): string[][] {
  const { url } = shared.service;
  return Array.from({ length: count }, (_, index) => [JSON.stringify({ url, writer: `w${index}`, ...job })]);
}

describe('eight processes on one session', () => {
  it('that append: every batch is there once, whole, and each writer is in its order', async () => {
    const keyPrefix = freshPrefix();
    const said = await inOtherProcesses(
      'use-session.ts',
      jobs(8, { keyPrefix, sessionId: 's', task: 'append', times: 100 }),
    );
    const items = await new RedisSession({ client: shared.client, keyPrefix, sessionId: 's' }).getItems();
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
  });

  it('that pop: every item is given to one of them', async () => {
    const keyPrefix = freshPrefix();
    const session = new RedisSession({ client: shared.client, keyPrefix, sessionId: 's' });
    await session.addItems(Array.from({ length: 500 }, (_, number) => ({ number })));
    const popped = (
      await inOtherProcesses('use-session.ts', jobs(8, { keyPrefix, sessionId: 's', task: 'pop' }))
    ).flat();
    expect(popped.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, number) => number));
    expect(await session.getItems()).toEqual([]);
  });
});

it('what was acknowledged is there after the server was killed, and no batch is half there', async () => {
  const server = await startRedis({ own: true, appendOnly: 'always' });
  const client = new Redis(server.url, { retryStrategy: () => 5 });
  client.on('error', () => {});
  const keyPrefix = freshPrefix();
  const session = new RedisSession({ client, keyPrefix, sessionId: 's' });
  for (let round = 0; round < 30; round++) {
    const job = { url: server.url, keyPrefix, sessionId: 's', writer: `w${round}`, task: 'append on' };
    const writer = new OtherProcess('use-session.ts', JSON.stringify(job));
    await writer.ready;
    writer.go();
    while (writer.lines.length < 20 + 3 * round) await new Promise((resolve) => setTimeout(resolve, 1));
    await server.kill();
    const acknowledged = writer.lines.filter((line) => !line.startsWith('[')).length;
    await server.restart();
    writer.kill();
    const items = await session.getItems();
    const own = items.filter((one) => one.writer === `w${round}`);
    expect(own.length % 5).toBe(0);
    expect(own.length).toBeGreaterThanOrEqual(5 * acknowledged);
    for (const [index, one] of own.entries()) {
      expect(one).toMatchObject({ batch: Math.floor(index / 5), index: index % 5 });
    }
  }
  client.disconnect();
  await server.stop();
});
