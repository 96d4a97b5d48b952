import { startRedis } from '@keepsake/services';
import { rounds } from '@keepsake/testing/share';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { RedisSession, RedisSessionStore } from '../src/index.ts';
import { freshPrefix, sharedCluster } from './connections.ts';

const cluster = sharedCluster();

it('32 clients can use a session at the same time while Redis has none of the scripts', async () => {
  const server = await startRedis({ own: true });
  onTestFinished(() => server.stop());
  const clients = Array.from({ length: 32 }, () => new Redis(server.url));
  onTestFinished(() => {
    for (const client of clients) client.disconnect();
  });
  await Promise.all(
    clients.map(async (client, index) => {
      const store = new RedisSessionStore({ client });
      await store.open('one').addItems([{ index }]);
      await store.list();
    }),
  );
  const items = await new RedisSession({ client: clients[0] as Redis, sessionId: 'one' }).getItems();
  expect(items.map(({ index }) => Number(index)).toSorted((a, b) => a - b)).toEqual(clients.map((_, index) => index));
});

const IDS = rounds(1_000, 100);

it(`sessions with braces anywhere in their ids work on a cluster, for ${IDS} ids`, async () => {
  const { client } = cluster;
  const keyPrefix = freshPrefix();
  const store = new RedisSessionStore({ client, keyPrefix, ttlMs: 3_600_000, refresh: 'access' });
  const parts = ['{}', '}{', '{', '}', '{{', '}}', '{a}', 'b', '*', ':', '%7B'];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const ids = Array.from({ length: IDS }, (_, index) => {
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
