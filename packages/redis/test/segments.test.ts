import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { sessionKeys } from '../src/client/keys.ts';
import { RedisSession, RedisSessionStore, RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();
const item = { role: 'user', content: 'tea' };

it('the lists of one user send as many commands among 400 users as among 4', async () => {
  const counts: number[] = [];
  for (const users of [4, 400]) {
    const keyPrefix = freshPrefix();
    const client = new Redis(shared.service.url);
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
  const [kept, gone, expiring] = idsOfOneShard(keyPrefix);
  const { segments } = sessionKeys(keyPrefix, kept);
  await new RedisSession({ ...options, sessionId: kept }).addItems([item]);
  await new RedisSession({ ...options, sessionId: gone }).addItems([item]);
  expect(await client.zcard(segments)).toBe(2 * 3);
  const sessions = new RedisSessionStore(options);
  await sessions.delete(gone);
  expect(await client.zcard(segments)).toBe(3);
  await new RedisSession({ ...options, sessionId: expiring, ttlMs: 20 }).addItems([item]);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await sessions.list();
  expect((await client.zrange(segments, '0', '-1')).every((text) => text.endsWith(`\0${kept}`))).toBe(true);
  expect(await client.zcard(segments)).toBe(3);
});

/** Three ids of three segments each in one shard. */
function idsOfOneShard(keyPrefix: string): [string, string, string] {
  const ids = Array.from({ length: 400 }, (_, n) => `u:alice:${n}`);
  const byShard = Map.groupBy(ids, (id) => sessionKeys(keyPrefix, id).segments);
  return [...byShard.values()].find(({ length }) => length >= 3)?.slice(0, 3) as [string, string, string];
}
