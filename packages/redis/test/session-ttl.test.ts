import { randomUUID } from 'node:crypto';
import { encrypted } from '@keepsake/privacy';
import { describe, expect, it } from 'vitest';
import { requestsKey, SESSION_SHARDS, sessionKeys, shardOf } from '../src/client/keys.ts';
import { run, writing } from '../src/client/script.ts';
import { RedisSession, RedisSessionStore } from '../src/index.ts';
import { CLEAR } from '../src/lua/sessions/history.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();
const HOUR = 3_600_000;
const item = { type: 'note', text: 'secret' };

/** All keys under the prefix with their expiry time, -1 for never. */
async function keysOf(keyPrefix: string): Promise<Record<string, number>> {
  const { client } = shared;
  const found = (await client.keys('*')).filter((key) => key.startsWith(keyPrefix));
  const entries = found.map(async (key) => [key.slice(keyPrefix.length), await client.pexpiretime(key)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Waits until Redis has deleted a key. */
async function untilGone(key: string): Promise<void> {
  while ((await shared.client.exists(key)) === 1) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** An id in the same shard as another. */
function neighbourOf(sessionId: string): string {
  for (let number = 0; ; number++) if (shardOf(`n${number}`) === shardOf(sessionId)) return `n${number}`;
}

describe('a session with a TTL', () => {
  it('expires after any change: its items after the TTL, its other keys at most 1/64 of the TTL later', async () => {
    const { client } = shared;
    const changes: ((session: RedisSession) => Promise<unknown>)[] = [
      (session) => session.addItems([item]),
      (session) => session.popItem(),
      (session) => session.addItems([item]),
      (session) =>
        session.applyHistoryTransaction({ operationId: 'o-1', transaction: { type: 'append_items', items: [item] } }),
      (session) => session.replaceHistoryWithCompaction([{ type: 'function_call', callId: 'c', name: 'f' }]),
      (session) =>
        session.applyHistoryMutations({
          mutations: [{ type: 'replace_function_call', callId: 'c', replacement: item }],
        }),
      (session) => session.clearSession(),
      (session) => session.addItems([item]),
    ];
    for (const untimed of [false, true]) {
      const keyPrefix = freshPrefix();
      const { items, metadata } = sessionKeys(keyPrefix, 'one');
      const first = new RedisSession({ client, keyPrefix, sessionId: 'one', ttlMs: HOUR });
      await first.addItems([item]);
      // A session that is opened without a TTL keeps its TTL, even if a key was deleted in between.
      const session = untimed ? new RedisSession({ client, keyPrefix, sessionId: 'one' }) : first;
      let before = await client.pexpiretime(metadata);
      for (const [index, change] of changes.entries()) {
        await change(session);
        const at = await client.pexpiretime(metadata);
        expect(at, `change ${index}`).toBeGreaterThanOrEqual(before);
        if (untimed) expect(at).toBe(before);
        if ((await client.exists(items)) === 1) {
          const ahead = at - (await client.pexpiretime(items));
          expect(ahead, `change ${index}`).toBeGreaterThanOrEqual(0);
          expect(ahead, `change ${index}`).toBeLessThanOrEqual(Math.ceil(HOUR / 64));
        }
        before = at;
      }
      expect(before).toBeGreaterThan(Date.now() + HOUR / 2);
      expect(before).toBeLessThan(Date.now() + HOUR + HOUR / 64 + 1);
    }
  });

  it('disappears from every list when it expires, and leaves only keys that expire', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix, ttlMs: 40 });
    const ids = Array.from({ length: 150 }, (_, index) => `session ${index}`);
    await Promise.all(ids.map((id) => store.open(id).addItems([item])));
    for (const id of ids) await untilGone(sessionKeys(keyPrefix, id).metadata);
    expect((await store.list()).items).toEqual([]);
    expect(await store.delete(ids[0] as string)).toBe(false);
    expect(await store.open(ids[1]).getItems()).toEqual([]);
    for (const id of ids) await untilGone(sessionKeys(keyPrefix, id).sessions);
    const left = await keysOf(keyPrefix);
    for (const [key, at] of Object.entries(left)) {
      // Only idempotency keys, for ten minutes.
      expect(key).toMatch(/^\{s\d+\}:session-marks:\d+$/);
      expect(at).toBeGreaterThan(0);
      expect(at).toBeLessThan(Date.now() + 11 * 60_000);
    }
  });

  it('is removed from the lists of its shard without affecting other sessions', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const kept = new RedisSession({ client, keyPrefix, sessionId: 'kept' });
    const neighbour = neighbourOf('kept');
    const store = new RedisSessionStore({ client, keyPrefix, ttlMs: 30 });
    await store.open(neighbour).addItems([item]);
    await kept.addItems([item]);
    await untilGone(sessionKeys(keyPrefix, neighbour).metadata);
    expect((await store.list()).items.map(({ sessionId }) => sessionId)).toEqual(['kept']);
    const { sessions, expiry } = sessionKeys(keyPrefix, 'kept');
    expect(await client.pexpiretime(sessions)).toBe(-1);
    // The list is not only filtered: the expired session is removed from it.
    const swept = async () => (await client.zcard(sessions)) === 1 && (await client.exists(expiry)) === 0;
    while (!(await swept())) await store.list();
    // Without a session that never expires, the lists expire.
    await store.open(neighbour).addItems([item]);
    expect(await client.pexpiretime(sessions)).toBe(-1);
    await store.delete('kept');
    await untilGone(sessions);
  });

  it('contains only new items after it expired, and never expires if it is written without a TTL', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const { metadata, items, sessions } = sessionKeys(keyPrefix, 'one');
    await new RedisSession({ client, keyPrefix, sessionId: 'one', ttlMs: 20 }).addItems([item]);
    await untilGone(metadata);
    await new RedisSession({ client, keyPrefix, sessionId: 'one' }).addItems([{ type: 'new' }]);
    expect(await Promise.all([items, metadata, sessions].map((key) => client.pexpiretime(key)))).toEqual([-1, -1, -1]);
    expect(await new RedisSession({ client, keyPrefix, sessionId: 'one' }).getItems()).toEqual([{ type: 'new' }]);
    const { items: listed } = await new RedisSessionStore({ client, keyPrefix }).list();
    expect(listed.map(({ sessionId, itemCount }) => [sessionId, itemCount])).toEqual([['one', 1]]);
  });

  it('leaves only keys that expire if it expires while it is cleared', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const keys = sessionKeys(keyPrefix, 'one');
    const unlink = "redis.call('UNLINK', items, metadata)";
    // A script sees keys as they were when it started, but compares expiry times with the clock.
    const wait = `
      for _ = 1, 1000000 do
        local clock = redis.call('TIME')
        if clock[1] * 1000 + clock[2] / 1000 > listed + 1 then break end
      end`;
    const slow = writing(CLEAR.lua.replace(unlink, unlink + wait));
    expect(slow.lua).not.toBe(CLEAR.lua);
    await new RedisSession({ client, keyPrefix, sessionId: 'one', ttlMs: 100 }).addItems([item]);
    const own = [keys.items, keys.metadata, keys.sessions, keys.expiry, keys.ids, keys.segments, requestsKey(keys, 1)];
    await run(client, slow, own, randomUUID(), 'one', 0);
    const left = Object.entries(await keysOf(keyPrefix));
    expect(left.filter(([, at]) => at === -1)).toEqual([]);
  });

  it.each(['write', 'access'] as const)(
    'reading restarts its TTL only with refresh "access" (refresh: %s)',
    async (refresh) => {
      const { client } = shared;
      const keyPrefix = freshPrefix();
      const { metadata, items } = sessionKeys(keyPrefix, 'one');
      const session = new RedisSession({ client, keyPrefix, sessionId: 'one', ttlMs: HOUR, refresh });
      await session.getItems();
      expect(await keysOf(keyPrefix), 'reading creates no key').toEqual({});
      await session.addItems([item]);
      // As if half of the TTL had passed.
      for (const key of [metadata, items]) await client.pexpire(key, HOUR / 2);
      await client.hset(metadata, 'listed', Date.now() + HOUR / 2);
      const { items: before } = await new RedisSessionStore({ client, keyPrefix }).list();
      expect(await session.getItems(1)).toEqual([item]);
      for (const key of [metadata, items]) {
        const left = await client.pttl(key);
        if (refresh === 'access') expect(left).toBeGreaterThan(HOUR - 60_000);
        else expect(left).toBeLessThanOrEqual(HOUR / 2);
      }
      expect((await new RedisSessionStore({ client, keyPrefix }).list()).items).toEqual(before);
    },
  );
});

describe('RedisSessionStore', () => {
  it('removes 2,500 expired sessions from its lists in steps', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix, ttlMs: HOUR });
    await store.open('alive').addItems([item]);
    const { sessions, expiry } = sessionKeys(keyPrefix, 'alive');
    // The lists as 2,500 expired sessions leave them.
    const ids = Array.from({ length: 2_500 }, (_, index) => `old ${index}`);
    await client.zadd(sessions, ...ids.flatMap((id, index) => [index + 1, id]));
    await client.zadd(expiry, ...ids.flatMap((id, index) => [index + 1, id]));
    await store.open('alive').addItems([item]);
    expect(await client.zcard(sessions)).toBe(2_501);
    await store.open(neighbourOf('alive')).addItems([item]);
    expect(await client.zcard(sessions), 'a write removes a few').toBeLessThan(2_501);
    const { items } = await store.list();
    expect(items.map(({ sessionId }) => sessionId)).toEqual([neighbourOf('alive'), 'alive']);
    expect([await client.zcard(sessions), await client.zcard(expiry)]).toEqual([2, 2]);
  });

  it('deletes all keys of a session except idempotency keys, which contain no data of it', async () => {
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client: shared.client, keyPrefix });
    const session = store.open('alice@example.com');
    await session.addItems([item]);
    await session.applyHistoryTransaction({ operationId: 'o', transaction: { type: 'append_items', items: [item] } });
    await store.delete('alice@example.com');
    expect(Object.keys(await keysOf(keyPrefix)).filter((key) => !key.includes('session-marks'))).toEqual([]);
    for (const key of (await shared.client.keys('*session-marks*')).filter((key) => key.startsWith(keyPrefix))) {
      for (const id of await shared.client.smembersBuffer(key)) expect(id).toHaveLength(12);
    }
  });

  it('lists full pages while sessions expire', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix });
    const ids = Array.from({ length: 30 }, (_, index) => `s${index}`);
    for (const id of ids) await store.open(id).addItems([item]);
    // Listed but gone, like sessions that have just expired.
    for (const id of ids.slice(10)) await client.unlink(sessionKeys(keyPrefix, id).metadata);
    const { items, cursor } = await store.list({ limit: 10 });
    expect(items.map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, 10).reverse());
    expect(cursor).toBeUndefined();
  });

  it('lists sessions with equal activity once each, even if one shard has most of them', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix });
    const ids = Array.from({ length: 60 * SESSION_SHARDS }, (_, index) => `é ${index}`).filter(
      (id) => shardOf(id) === 7,
    );
    for (const id of [...ids, 'other']) await store.open(id).addItems([item]);
    await client.zadd(sessionKeys(keyPrefix, ids[0] as string).sessions, ...ids.flatMap((id) => [1_000, id]));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.items.map(({ sessionId }) => sessionId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen[0]).toBe('other');
    expect(seen.toSorted()).toEqual([...ids, 'other'].toSorted());
  });

  it('stores no plain text of an encrypted session', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const keys = { current: 'k', keys: { k: crypto.getRandomValues(new Uint8Array(32)) } };
    await encrypted(new RedisSession({ client, keyPrefix, sessionId: 'one' }), keys).addItems([item]);
    expect((await client.lrange(sessionKeys(keyPrefix, 'one').items, 0, -1)).join()).not.toContain('secret');
  });
});
