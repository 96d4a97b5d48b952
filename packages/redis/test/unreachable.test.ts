import { MemoryManager } from '@keepsake/core';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { RedisSession, RedisStore } from '../src/index.ts';

it('with the client of the guides, a call says that Redis is down, the log too, and nothing else is printed', async () => {
  const printed: unknown[][] = [];
  for (const method of ['warn', 'error', 'log'] as const) {
    vi.spyOn(console, method).mockImplementation((...args: unknown[]) => void printed.push(args));
  }
  onTestFinished(() => void vi.restoreAllMocks());
  const client = new Redis('redis://127.0.0.1:1', {
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * 50, 400),
  });
  onTestFinished(() => client.disconnect());
  client.on('error', () => {});
  const refused = { code: 'BACKEND', retryable: true, message: expect.stringContaining('Redis could not be reached') };
  const store = new RedisStore({ client, name: 'facts' });
  await expect(store.add('Lives in Lisbon')).rejects.toMatchObject(refused);
  await expect(new RedisSession({ client, sessionId: 'chat' }).getItems()).rejects.toMatchObject(refused);
  const memory = new MemoryManager({ stores: [store] });
  await expect(memory.ready()).rejects.toMatchObject(refused);
  expect(printed).toEqual([]);
  await expect(memory.search('Lisbon')).rejects.toMatchObject({ code: 'BACKEND' });
  expect(printed).toEqual([
    [expect.stringMatching(/^Memory store "facts" failed: search \(BACKEND\)\. Redis could not/)],
  ]);
});
