import { randomUUID } from 'node:crypto';
import { encrypted } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { RedisSession, RedisSessionStore } from '../src/index.ts';
import { marksKey, SESSION_SHARDS, sessionKeys, shardOf } from '../src/keys.ts';
import { run, writing } from '../src/script.ts';
import { CLEAR } from '../src/session-scripts.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();
const HOUR = 3_600_000;
const item = { type: 'note', text: 'secret' };

/** All keys under the prefix, each with when it expires; -1 for never. */
async function keysOf(keyPrefix: string): Promise<Record<string, number>> {
  const { client } = shared;
  const found = (await client.keys('*')).filter((key) => key.startsWith(keyPrefix));
  const entries = found.map(async (key) => [key.slice(keyPrefix.length), await client.pexpiretime(key)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Waits until Redis itself has let go of a key. */
async function untilGone(key: string): Promise<void> {
  while ((await shared.client.exists(key)) === 1) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** An id in the same shard as another. */
function neighbourOf(sessionId: string): string {
  for (let number = 0; ; number++) if (shardOf(`n${number}`) === shardOf(sessionId)) return `n${number}`;
}

describe('a session with a TTL', () => {
  it('has all of its keys expire, whatever was done: the items when it says, the rest at most a 64th later', async () => {
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
      const { items, facts } = sessionKeys(keyPrefix, 'one');
      const first = new RedisSession({ client, keyPrefix, sessionId: 'one', ttlMs: HOUR });
      await first.addItems([item]);
      // Who gives no TTL leaves that of others, also where a key was gone in between.
      const session = untimed ? new RedisSession({ client, keyPrefix, sessionId: 'one' }) : first;
      let before = await client.pexpiretime(facts);
      for (const [index, change] of changes.entries()) {
        await change(session);
        const at = await client.pexpiretime(facts);
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

  it('is gone when its time has come, from every list, and leaves nothing for ever', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix, ttlMs: 40 });
    const ids = Array.from({ length: 150 }, (_, index) => `session ${index}`);
    await Promise.all(ids.map((id) => store.open(id).addItems([item])));
    for (const id of ids) await untilGone(sessionKeys(keyPrefix, id).facts);
    expect((await store.list()).items).toEqual([]);
    expect(await store.delete(ids[0] as string)).toBe(false);
    expect(await store.open(ids[1]).getItems()).toEqual([]);
    for (const id of ids) await untilGone(sessionKeys(keyPrefix, id).sessions);
    const left = await keysOf(keyPrefix);
    for (const [key, at] of Object.entries(left)) {
      // Marks alone, which name nothing, for ten minutes.
      expect(key).toMatch(/^\{s\d+\}:session-marks:\d+$/);
      expect(at).toBeGreaterThan(0);
      expect(at).toBeLessThan(Date.now() + 11 * 60_000);
    }
  });

  it('leaves the lists of its shard to those that stay', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const kept = new RedisSession({ client, keyPrefix, sessionId: 'kept' });
    const neighbour = neighbourOf('kept');
    const store = new RedisSessionStore({ client, keyPrefix, ttlMs: 30 });
    await store.open(neighbour).addItems([item]);
    await kept.addItems([item]);
    await untilGone(sessionKeys(keyPrefix, neighbour).facts);
    expect((await store.list()).items.map(({ sessionId }) => sessionId)).toEqual(['kept']);
    const { sessions, expiry } = sessionKeys(keyPrefix, 'kept');
    expect(await client.pexpiretime(sessions)).toBe(-1);
    // The list is not only filtered: the one that expired is out of it.
    const swept = async () => (await client.zcard(sessions)) === 1 && (await client.exists(expiry)) === 0;
    while (!(await swept())) await store.list();
    // With the last that stays, the rest may go.
    await store.open(neighbour).addItems([item]);
    expect(await client.pexpiretime(sessions)).toBe(-1);
    await store.delete('kept');
    await untilGone(sessions);
  });

  it('that expired begins anew under its id, and stays where it has no TTL any more', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const { facts, items, sessions } = sessionKeys(keyPrefix, 'one');
    await new RedisSession({ client, keyPrefix, sessionId: 'one', ttlMs: 20 }).addItems([item]);
    await untilGone(facts);
    await new RedisSession({ client, keyPrefix, sessionId: 'one' }).addItems([{ type: 'new' }]);
    expect(await Promise.all([items, facts, sessions].map((key) => client.pexpiretime(key)))).toEqual([-1, -1, -1]);
    expect(await new RedisSession({ client, keyPrefix, sessionId: 'one' }).getItems()).toEqual([{ type: 'new' }]);
    const { items: listed } = await new RedisSessionStore({ client, keyPrefix }).list();
    expect(listed.map(({ sessionId, itemCount }) => [sessionId, itemCount])).toEqual([['one', 1]]);
  });

  it('leaves nothing for ever where its time comes while it is cleared', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const keys = sessionKeys(keyPrefix, 'one');
    const gone = "redis.call('UNLINK', items, facts)";
    // A script sees keys as they were when it began, but times that are over by now are those of the clock.
    const wait = `
      for _ = 1, 1000000 do
        local clock = redis.call('TIME')
        if clock[1] * 1000 + clock[2] / 1000 > listed + 1 then break end
      end`;
    const slow = writing(CLEAR.lua.replace(gone, gone + wait));
    expect(slow.lua).not.toBe(CLEAR.lua);
    await new RedisSession({ client, keyPrefix, sessionId: 'one', ttlMs: 100 }).addItems([item]);
    const own = [keys.items, keys.facts, keys.sessions, keys.expiry, marksKey(keys, 1)];
    await run(client, slow, own, randomUUID(), 'one', 0);
    const left = Object.entries(await keysOf(keyPrefix));
    expect(left.filter(([, at]) => at === -1)).toEqual([]);
  });

  it.each(['write', 'access'] as const)('is read with refresh: %s', async (refresh) => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const { facts, items } = sessionKeys(keyPrefix, 'one');
    const session = new RedisSession({ client, keyPrefix, sessionId: 'one', ttlMs: HOUR, refresh });
    await session.getItems();
    expect(await keysOf(keyPrefix), 'reading makes nothing').toEqual({});
    await session.addItems([item]);
    // As if half of the time was over.
    for (const key of [facts, items]) await client.pexpire(key, HOUR / 2);
    await client.hset(facts, 'listed', Date.now() + HOUR / 2);
    const { items: before } = await new RedisSessionStore({ client, keyPrefix }).list();
    expect(await session.getItems(1)).toEqual([item]);
    for (const key of [facts, items]) {
      const left = await client.pttl(key);
      if (refresh === 'access') expect(left).toBeGreaterThan(HOUR - 60_000);
      else expect(left).toBeLessThanOrEqual(HOUR / 2);
    }
    expect((await new RedisSessionStore({ client, keyPrefix }).list()).items).toEqual(before);
  });
});

describe('the store', () => {
  it('sweeps what expired in steps, also a great many', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix, ttlMs: HOUR });
    await store.open('alive').addItems([item]);
    const { sessions, expiry } = sessionKeys(keyPrefix, 'alive');
    // As 2,500 sessions would leave it, long after.
    const ids = Array.from({ length: 2_500 }, (_, index) => `old ${index}`);
    await client.zadd(sessions, ...ids.flatMap((id, index) => [index + 1, id]));
    await client.zadd(expiry, ...ids.flatMap((id, index) => [index + 1, id]));
    await store.open('alive').addItems([item]);
    expect(await client.zcard(sessions)).toBe(2_501);
    await store.open(neighbourOf('alive')).addItems([item]);
    expect(await client.zcard(sessions), 'a write takes out a few').toBeLessThan(2_501);
    const { items } = await store.list();
    expect(items.map(({ sessionId }) => sessionId)).toEqual([neighbourOf('alive'), 'alive']);
    expect([await client.zcard(sessions), await client.zcard(expiry)]).toEqual([2, 2]);
  });

  it('deletes all there is of a session but marks, which hold nothing of it', async () => {
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client: shared.client, keyPrefix });
    const session = store.open('alice@example.com');
    await session.addItems([item]);
    await session.applyHistoryTransaction({ operationId: 'o', transaction: { type: 'append_items', items: [item] } });
    await store.delete('alice@example.com');
    expect(Object.keys(await keysOf(keyPrefix)).filter((key) => !key.includes('session-marks'))).toEqual([]);
    for (const key of await shared.client.keys('*session-marks*')) {
      for (const mark of await shared.client.smembers(key)) expect(mark).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('lists a page in full where sessions vanish meanwhile', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const store = new RedisSessionStore({ client, keyPrefix });
    const ids = Array.from({ length: 30 }, (_, index) => `s${index}`);
    for (const id of ids) await store.open(id).addItems([item]);
    // Listed, but gone: as those are whose time has just come.
    for (const id of ids.slice(10)) await client.unlink(sessionKeys(keyPrefix, id).facts);
    const { items, cursor } = await store.list({ limit: 10 });
    expect(items.map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, 10).reverse());
    expect(cursor).toBeUndefined();
  });

  it('lists those that tie once each, and a shard that has more than its share', async () => {
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

  it('keeps an encrypted session, of which Redis sees no word', async () => {
    const { client } = shared;
    const keyPrefix = freshPrefix();
    const keys = { current: 'k', keys: { k: new Uint8Array(32).fill(3) } };
    await encrypted(new RedisSession({ client, keyPrefix, sessionId: 'one' }), keys).addItems([item]);
    expect((await client.lrange(sessionKeys(keyPrefix, 'one').items, 0, -1)).join()).not.toContain('secret');
  });
});
