import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { sessionKeys, shardKeys } from '../src/client/keys.ts';
import { RedisSession, RedisSessionStore, RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();
const item = { role: 'user', content: 'tea' };

it('the lists of one user send as many commands among 400 users as among 4', async () => {
  const counts: number[] = [];
  for (const users of [4, 400]) {
    const keyPrefix = freshPrefix();
    const client = new Redis(shared.url);
    const store = new RedisStore({ client, keyPrefix, name: 'memory' });
    const sessions = new RedisSessionStore({ client, keyPrefix });
    await Promise.all(
      Array.from({ length: users }, async (_, n) => {
        await store.within(['u', `user ${n}`]).put({ content: 'tea' });
        await sessions.open(`bot:u:user ${n}:s1`).addItems([item]);
      }),
    );
    let sent = 0;
    const send = client.sendCommand.bind(client);
    client.sendCommand = (...given: Parameters<typeof send>) => {
      sent++;
      return send(...given);
    };
    expect((await store.namespaces({ segment: 'user 3' })).items).toHaveLength(1);
    expect((await sessions.list({ segment: 'user 3' })).items).toHaveLength(1);
    counts.push(sent);
    client.disconnect();
  }
  expect(counts[1]).toBeLessThanOrEqual(counts[0] as number);
});

it('nothing is left of the segments of sessions that were deleted or have expired', async () => {
  const { client } = shared;
  const keyPrefix = freshPrefix();
  const options = { client, keyPrefix };
  const { shard, ids } = idsOfOneShard(keyPrefix);
  const { segments } = shardKeys(keyPrefix, shard);
  const [kept, gone, expiring] = ids as [string, string, string];
  await new RedisSession({ ...options, sessionId: kept }).addItems([item]);
  await new RedisSession({ ...options, sessionId: gone }).addItems([item]);
  await new RedisSession({ ...options, sessionId: expiring, ttlMs: 20 }).addItems([item]);
  expect(await client.zcard(segments)).toBe(3 * 3);
  const sessions = new RedisSessionStore(options);
  await sessions.delete(gone);
  expect(await client.zcard(segments)).toBe(2 * 3);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await sessions.list();
  expect((await client.zrange(segments, 0, -1)).every((text) => text.endsWith(`\0${kept}`))).toBe(true);
  expect(await client.zcard(segments)).toBe(3);
});

/** Ids of three segments each in one shard. */
function idsOfOneShard(keyPrefix: string) {
  const byShard = Map.groupBy(
    Array.from({ length: 400 }, (_, n) => `u:alice:${n}`),
    (id) => sessionKeys(keyPrefix, id).ids,
  );
  const [ids = []] = [...byShard.values()].filter(({ length }) => length >= 3);
  const shard = Array.from({ length: 64 }, (_, n) => n).find(
    (n) => shardKeys(keyPrefix, n).ids === sessionKeys(keyPrefix, ids[0] as string).ids,
  );
  return { ids, shard: shard as number };
}
