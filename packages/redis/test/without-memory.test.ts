import { startRedis, startRedisCluster } from '@keepsake/services';
import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisSessionStore, RedisStore } from '../src/index.ts';
import { freshPrefix } from './connections.ts';

const PLACES: Record<string, () => Promise<{ client: Redis | Cluster; nodes: () => Redis[] }>> = {
  async 'one server'() {
    const server = await startRedis({ own: true });
    const client = new Redis(server.url);
    onTestFinished(() => server.stop());
    onTestFinished(() => client.disconnect());
    return { client, nodes: () => [client] };
  },
  async 'a cluster'() {
    const cluster = await startRedisCluster();
    const client = new Cluster([...cluster.nodes]);
    onTestFinished(() => cluster.stop());
    onTestFinished(() => client.disconnect());
    return { client, nodes: () => client.nodes('master') };
  },
};

describe.each(Object.entries(PLACES))('%s over its maxmemory, with noeviction', (_, start) => {
  it('rejects what takes memory and accepts what frees it', async () => {
    const { client, nodes } = await start();
    const keyPrefix = freshPrefix();
    const sessions = new RedisSessionStore({ client, keyPrefix, ttlMs: 3_600_000, refresh: 'access' });
    const lasting = new RedisSessionStore({ client, keyPrefix });
    const item = { type: 'note', text: 'tea' };
    const ids = Array.from({ length: 12 }, (_, n) => `chat ${n}`);
    for (const [n, id] of ids.entries()) await (n % 2 ? lasting : sessions).open(id).addItems([item, item]);
    const store = new RedisStore({ client, keyPrefix, name: 'memory', embedder: fakeEmbedder });
    await store.putMany(Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, content: `tea ${n}` })));
    await store.within(['below']).put({ id: 'x', content: 'tea' });
    for (const node of nodes()) await node.config('SET', 'maxmemory', '1mb', 'maxmemory-policy', 'noeviction');

    for (const [n, id] of ids.entries()) {
      const from = n % 2 ? lasting : sessions;
      const session = from.open(id);
      await expect(session.addItems([item])).rejects.toMatchObject({ code: 'BACKEND' });
      expect(await session.popItem()).toEqual(item);
      expect(await session.getItems()).toEqual([item]);
      if (n % 3 === 0) await session.clearSession();
      expect(await session.getItems()).toEqual(n % 3 === 0 ? [] : [item]);
      expect(await from.delete(id)).toBe(true);
      expect(await from.delete(id)).toBe(false);
    }
    expect((await sessions.list()).items).toEqual([]);

    await expect(store.put({ id: '1', content: 'milk' })).rejects.toMatchObject({ code: 'BACKEND' });
    expect(await store.delete('1')).toBe(true);
    expect(await store.delete('2', { ifVersion: (await store.get('2'))?.version })).toBe(true);
    expect(await store.delete('2')).toBe(false);
    await store.compact?.();
    expect(await store.search('tea', { maxSearchResults: 100 })).toHaveLength(38);
    expect(await store.clear({ descendants: true })).toBe(39);
    expect((await store.list()).items).toEqual([]);
  });
});
