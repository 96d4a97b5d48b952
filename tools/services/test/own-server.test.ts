import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startPostgres, startRedis } from '../src/index.ts';
import { ports } from '../src/own-server.ts';
import { listens } from './until.ts';

/** A port in use, which the next server tries first. */
async function takenPort(offset = 0) {
  const listener = await listen(offset);
  onTestFinished(() => void listener.close());
  const port = (listener.address() as { port: number }).port - offset;
  const next = vi.spyOn(ports, 'next').mockReturnValueOnce(port);
  onTestFinished(() => next.mockRestore());
  return { port, next };
}

/** Listens on a port that nobody else uses. */
async function listen(offset: number): Promise<Server> {
  for (;;) {
    const listener = createServer((socket) => socket.destroy());
    listener.listen(ports.next() + offset, '127.0.0.1');
    try {
      await once(listener, 'listening');
      return listener;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
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
  const { port, next } = await takenPort(offset);
  const server = await start();
  onTestFinished(() => server.stop());
  // More than twice if another test has the second port.
  expect(next.mock.calls.length).toBeGreaterThan(1);
  expect(server.port).not.toBe(port);
  expect(await listens(server.port)).toBe(true);
});
