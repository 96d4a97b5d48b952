import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { RedisSession, RedisSessionStore } from '../src/index.ts';
import { freshPrefix, sharedCluster, sharedRedis } from './connections.ts';

const shared = sharedRedis();
const cluster = sharedCluster();

it('32 clients can use a session at the same time while Redis has none of the scripts', async () => {
  const keyPrefix = freshPrefix();
  await shared.client.script('FLUSH');
  const clients = Array.from({ length: 32 }, () => new Redis(shared.service.url));
  try {
    await Promise.all(
      clients.map(async (client, index) => {
        const store = new RedisSessionStore({ client, keyPrefix });
        await store.open('one').addItems([{ index }]);
        await store.list();
      }),
    );
    const items = await new RedisSession({ client: shared.client, keyPrefix, sessionId: 'one' }).getItems();
    expect(items.map(({ index }) => Number(index)).toSorted((a, b) => a - b)).toEqual(clients.map((_, index) => index));
  } finally {
    for (const client of clients) client.disconnect();
  }
});

it('sessions with braces anywhere in their ids work on a cluster, for 1,000 ids', async () => {
  const { client } = cluster;
  const keyPrefix = freshPrefix();
  const store = new RedisSessionStore({ client, keyPrefix, ttlMs: 3_600_000, refresh: 'access' });
  const parts = ['{}', '}{', '{', '}', '{{', '}}', '{a}', 'b', '*', ':', '%7B'];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const ids = Array.from({ length: 1_000 }, (_, index) => {
    const some = Array.from({ length: 1 + random(4) }, () => parts[random(parts.length)]).join('');
    return random(2) === 0 ? `${some}${index}` : `${index}${some}`;
  });
  await Promise.all(
    ids.map(async (id) => {
      const session = store.open(id);
      await session.addItems([{ id }, { type: 'function_call', callId: 'c' }, { id }]);
      await session.applyHistoryTransaction({
        operationId: 'o',
        transaction: { type: 'replace_suffix', expectedSuffix: [{ id }], replacement: [{ id, new: true }] },
      });
      await session.applyHistoryMutations({
        mutations: [{ type: 'replace_function_call', callId: 'c', replacement: { id } }],
      });
      expect(await session.popItem()).toEqual({ id, new: true });
      expect(await session.getItems()).toEqual([{ id }, { id }]);
      await session.replaceHistoryWithCompaction([{ id }]);
    }),
  );
  const listed = await store.list({ limit: 1_000 });
  expect(listed.items.map(({ sessionId }) => sessionId).toSorted()).toEqual(ids.toSorted());
  await Promise.all(ids.map((id) => store.open(id).clearSession()));
  expect(await Promise.all(ids.map((id) => store.delete(id)))).toEqual(ids.map(() => true));
  expect((await store.list()).items).toEqual([]);
});
