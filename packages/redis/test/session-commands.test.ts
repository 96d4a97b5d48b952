import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { RedisSession, RedisSessionStore } from '../src/index.ts';

it.each(['', 'tenant-a:'])(
  'sessions use only keys under their prefix and never scan the keyspace (ioredis keyPrefix %j)',
  async (outer) => {
    const server = await startRedis({ own: true });
    const client = new Redis(server.url, { keyPrefix: outer });
    const commands: string[][] = [];
    const watcher = new Redis(server.url);
    // While it starts to monitor, ioredis mistakes what other clients send, such as their handshakes, for replies.
    await Promise.all([client.ping(), watcher.ping()]);
    const monitor = await watcher.monitor();
    monitor.on('monitor', (_time: string, args: string[]) => commands.push(args));
    try {
      const keyPrefix = 'app:[*]:';
      const store = new RedisSessionStore({ client, keyPrefix, ttlMs: 3_600_000, refresh: 'access' });
      for (const id of ['one', 'two', 'a*']) {
        const session = store.open(id);
        await session.addItems([{ type: 'function_call', callId: 'c' }, { id }]);
        await session.getItems();
        await session.getItems(1);
        await session.applyHistoryTransaction({
          operationId: 'o',
          transaction: { type: 'append_items', items: [{ id }] },
        });
        await session.popItem();
        const replacement = { id };
        await session.applyHistoryMutations({
          mutations: [{ type: 'replace_function_call', callId: 'c', replacement }],
        });
        await session.replaceHistoryWithCompaction([{ id }]);
        await new RedisSession({ client, keyPrefix, sessionId: `plain ${id}` }).addItems([{ id }]);
      }
      const { items } = await store.list();
      expect(items).toHaveLength(6);
      await store.open('one').clearSession();
      expect(await store.delete('two')).toBe(true);
      await client.echo('the end');
      while (!commands.some(([, text]) => text === 'the end')) await new Promise((resolve) => setImmediate(resolve));

      const names = new Set(commands.map(([name = '']) => name.toLowerCase()));
      for (const name of ['keys', 'scan', 'flushall', 'flushdb', 'sscan', 'config']) expect(names).not.toContain(name);
      const connection = new Set(['info', 'client', 'hello', 'select', 'monitor', 'echo', 'time']);
      const keys = commands.flatMap(([name = '', ...args]) => {
        if (connection.has(name.toLowerCase())) return [];
        return /^eval/i.test(name) ? args.slice(2, 2 + Number(args[1])) : [args[0]];
      });
      expect(keys.length).toBeGreaterThan(200);
      for (const key of keys) expect(key?.startsWith(outer + keyPrefix), key).toBe(true);
    } finally {
      monitor.disconnect();
      watcher.disconnect();
      client.disconnect();
      await server.stop();
    }
  },
);
