import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startPostgres, startRedis } from '../src/index.ts';
import { listens } from './until.ts';

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  return { ...crypto, randomInt: vi.fn(crypto.randomInt) };
});

beforeEach(() => void vi.mocked(randomInt).mockClear());
afterEach(() => void vi.unstubAllEnvs());

/** A port in use, which the next server tries first. */
async function takenPort(offset = 0): Promise<number> {
  const listener = createServer((socket) => socket.destroy());
  listener.listen(vi.mocked(randomInt)(10_000, 20_000) + offset, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const port = (listener.address() as { port: number }).port - offset;
  vi.mocked(randomInt)
    .mockClear()
    .mockReturnValueOnce(port as never);
  return port;
}

it.each([
  ['Redis', () => startRedis({ own: true }), 0],
  [
    'a node of a Redis cluster, with its second port,',
    () => startRedis({ args: ['--cluster-enabled', 'yes'] }),
    10_000,
  ],
  ['PostgreSQL', () => startPostgres({ own: true }), 0],
])('%s uses another port if the first is in use', async (_, start, offset) => {
  const taken = await takenPort(offset);
  const server = await start();
  onTestFinished(() => server.stop());
  expect(randomInt).toHaveBeenCalledTimes(2);
  expect(server.port).not.toBe(taken);
  expect(await listens(server.port)).toBe(true);
});
