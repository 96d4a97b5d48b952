import { Cluster, Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type RedisCluster, startRedisCluster } from '../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { listens } from './until.ts';

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startRedisCluster();
});
afterAll(() => cluster.stop());
afterEach(() => void vi.unstubAllEnvs());

it('a cluster has three masters by default, each of which has the whole slot map from the start', async () => {
  expect(cluster.nodes).toHaveLength(3);
  for (const node of cluster.nodes) {
    const client = new Redis(node);
    onTestFinished(() => client.disconnect());
    const slots = (await client.cluster('SLOTS')) as unknown as [number, number, [string, number]][];
    const ranges = slots.map(([first, last]) => [first, last]).sort(([one = 0], [other = 0]) => one - other);
    expect(ranges).toEqual([
      [0, 5460],
      [5461, 10921],
      [10922, 16383],
    ]);
    const known = slots.map(([, , [host, port]]) => ({ host, port }));
    expect(known).toEqual(expect.arrayContaining([...cluster.nodes]));
  }
});

it('a cluster accepts writes on each node', async () => {
  const client = new Cluster([...cluster.nodes]);
  onTestFinished(() => client.disconnect());
  const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
  await Promise.all(keys.map((key) => client.set(key, key)));
  expect(await Promise.all(keys.map((key) => client.get(key)))).toEqual(keys);
  const sizes = await Promise.all(client.nodes('master').map((node) => node.dbsize()));
  expect(sizes).toHaveLength(3);
  expect(Math.min(...sizes)).toBeGreaterThan(0);
});

it('a cluster is gone after stop', async () => {
  const two = await startRedisCluster({ masters: 2 });
  expect(two.nodes).toHaveLength(2);
  await two.stop();
  expect(await Promise.all(two.nodes.map(({ port }) => listens(port)))).toEqual([false, false]);
});

it('if the server is missing, starting a cluster tells how to install it', async () => {
  vi.stubEnv('PATH', temporaryFolder());
  await expect(startRedisCluster()).rejects.toThrow('apt-get install redis-server');
});
