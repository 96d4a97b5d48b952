import { expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const server = sharedRedis();

function open(keyPrefix: string): RedisStore {
  return new RedisStore({ client: server.client, keyPrefix, name: 'memory' });
}

it('a saved index is what the next process begins with, until it is damaged or the namespace is compacted', async () => {
  const prefix = freshPrefix();
  const store = open(prefix);
  await store.putMany(Array.from({ length: 3_000 }, (_, n) => ({ id: `${n}`, content: `heron w${n}` })));
  await store.search('heron');
  await store.within([]).close();
  const key = (await server.client.keys('*')).find((one) => one.startsWith(prefix) && one.endsWith(':index')) as string;
  const found = async () => (await open(prefix).search('heron w7', { maxSearchResults: 5_000 })).length;
  const saved = async () => (await server.client.hkeys(key)).filter((field) => !field.includes(':')).length;
  expect(await saved()).toBe(1);
  expect(await found()).toBe(3_000);
  const pages = (await server.client.hkeys(key)).filter((field) => field.includes(':'));
  expect(pages.length).toBeGreaterThan(0);
  for (const page of pages) await server.client.hset(key, page, 'damaged');
  expect(await found()).toBe(3_000);
  await store.delete('7');
  await store.compact();
  expect(await server.client.exists(key)).toBe(0);
  expect(await found()).toBe(2_999);
});
