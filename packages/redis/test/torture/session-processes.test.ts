import { join } from 'node:path';
import { startRedis } from '@keepsake/services';
import { describeSessionProcesses } from '@keepsake/suites/sessions/processes';
import { OtherProcess } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { RedisSession } from '../../src/index.ts';
import { freshPrefix, sharedRedis } from '../connections.ts';
import type { Use } from '../programs/use-session.ts';

const shared = sharedRedis();
const program = join(import.meta.dirname, '../programs/use-session.ts');
const KILLS = rounds(30);

describeSessionProcesses('on one server', program, () => {
  const { client, service } = shared;
  const keyPrefix = freshPrefix();
  return {
    open: () => new RedisSession({ client, keyPrefix, sessionId: 's' }),
    jobOf: (job) => JSON.stringify({ url: service.url, keyPrefix, sessionId: 's', job } satisfies Use),
  };
});

it(`all acknowledged batches survive ${KILLS} kills of the server, and no batch is written partially`, async () => {
  const server = await startRedis({ own: true, appendOnly: 'always' });
  const client = new Redis(server.url, { retryStrategy: () => 5 });
  client.on('error', () => {});
  const keyPrefix = freshPrefix();
  const session = new RedisSession({ client, keyPrefix, sessionId: 's' });
  for (let round = 0; round < KILLS; round++) {
    const job: Use = { url: server.url, keyPrefix, sessionId: 's', job: { task: 'append', writer: `w${round}` } };
    const writer = new OtherProcess(program, JSON.stringify(job));
    await writer.ready;
    writer.go();
    await writer.printed(20 + 3 * round);
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
