import { once } from 'node:events';
import { startRedis } from '@keepsake/services';
import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';

/** The arguments of a command that are keys. By default, the first one. */
const KEYS_OF: Record<string, (values: string[]) => string[]> = {
  eval: ([, count, ...values]) => values.slice(0, Number(count)),
  evalsha: ([, count, ...values]) => values.slice(0, Number(count)),
  unlink: (keys) => keys,
  info: () => [],
  time: () => [],
};

it.each(['', 'own prefix:'])(
  'RedisStore uses only keys under its prefix, with the ioredis keyPrefix "%s"',
  async (own) => {
    const server = await startRedis({ own: true });
    const client = new Redis(server.url, { keyPrefix: own });
    const plain = new Redis(server.url);
    // While it starts to monitor, ioredis mistakes what other clients send, such as their handshakes, for replies.
    await Promise.all([client.ping(), plain.ping()]);
    const watcher = await plain.monitor();
    const seen: string[][] = [];
    watcher.on('monitor', (_time: string, [command = '', ...values]: string[]) =>
      seen.push([command.toLowerCase(), ...values]),
    );
    const open = () => new RedisStore({ client, keyPrefix: 'mine:', name: 'memory', embedder: fakeEmbedder });
    const [one, other] = [open(), open()];

    const turn = (index: number) => ({ thread: 'a', index, speaker: 'Ada' });
    await one.putMany(Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, content: `tea ${n}`, turn: turn(n) })));
    await other.put({ id: '3', content: 'milk', ttlMs: 1 });
    await one.within(['a', 'b']).put({ id: 'x', content: 'tea' });
    await one.add('coffee');
    await one.addMessages([{ role: 'user', content: 'tea?' }]);
    await other.get('1');
    await other.delete('2');
    expect((await other.search('tea', { filter: { none: { exists: false } } })).length).toBe(10);
    expect((await other.search('tea', { descendants: true, maxSearchResults: 100 })).length).toBe(41);
    let pages = 0;
    for (let cursor: string | undefined; pages === 0 || cursor; pages++) {
      cursor = (await other.list({ limit: 7, ...(cursor ? { cursor } : {}) })).cursor;
    }
    expect(pages).toBe(6);
    expect((await other.namespaces()).items).toHaveLength(1);
    expect(await other.clear({ descendants: true })).toBe(41);
    expect((await other.namespaces()).items).toEqual([]);

    const end = once(watcher, 'monitor');
    await client.echo('the end');
    await end;
    for (const one of [watcher, plain, client]) one.disconnect();
    await server.stop();

    const commands = seen.filter(([command]) => command !== 'echo' && command !== 'client');
    expect(commands.length).toBeGreaterThan(400);
    expect(commands.map(([command]) => command)).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(keys|scan|flush.*|randomkey|sort|select|swapdb|config|debug)$/),
      ]),
    );
    const keys = commands.flatMap(([command = '', ...values]) => KEYS_OF[command]?.(values) ?? [values[0] as string]);
    expect([...new Set(keys)].filter((key) => !key.startsWith(`${own}mine:{`))).toEqual([]);
  },
);
