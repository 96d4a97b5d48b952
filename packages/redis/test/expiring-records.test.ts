import { setTimeout as wait } from 'node:timers/promises';
import { fakeEmbedder } from '@keepsake/suites/stores/fake-embedder';
import { rounds } from '@keepsake/testing/share';
import { describe, expect, it } from 'vitest';
import { storeKeys } from '../src/client/keys.ts';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

function openTwo() {
  const keyPrefix = freshPrefix();
  const open = () => new RedisStore({ client: shared.client, keyPrefix, name: 'memory', embedder: fakeEmbedder });
  return { one: open(), other: open(), keys: storeKeys(keyPrefix, []) };
}

describe('Records that expire in Redis', () => {
  it('are removed by later changes, and by compact()', async () => {
    const { one, other, keys } = openTwo();
    await one.put({ id: 'stays', content: 'tea forever' });
    await other.putMany(Array.from({ length: 200 }, (_, n) => ({ id: `${n}`, content: 'tea again', ttlMs: 1 })));
    await wait(10);
    expect((await one.search('tea')).map(({ id }) => id)).toEqual(['stays']);
    for (let n = 0; n < 3; n++) await one.put({ id: 'new', content: 'milk' });
    const left = await shared.client.hlen(keys.records);
    expect(left).toBeLessThan(200 - 2 * 32 + 2);
    await one.compact();
    expect(await shared.client.hlen(keys.records)).toBe(2);
    for (const key of [keys.expiry, keys.deleted]) expect(await shared.client.exists(key)).toBe(0);
    expect(await shared.client.hlen(keys.vectors)).toBe(2);
  });

  it('take their namespace with them a minute after the last of them, without another call', async () => {
    const { one, other, keys } = openTwo();
    await one.put({ id: 'x', content: 'tea' });
    await other.putMany([
      { id: 'x', content: 'tea', ttlMs: 40 },
      { id: 'y', content: 'milk', ttlMs: 90 },
    ]);
    const own = [keys.records, keys.changes, keys.replaced, keys.expiry, keys.vectors, keys.state];
    const times = await Promise.all(own.map((key) => shared.client.pexpiretime(key)));
    expect(new Set(times).size).toBe(1);
    expect(times[0]).toBe(Number(await shared.client.zscore(keys.expiry, 'y')) + 60_000);
    // As if the minute had passed.
    await wait(90);
    for (const key of own) await shared.client.pexpire(key, 1);
    while ((await shared.client.exists(...own)) > 0) await wait(5);
    expect((await one.list()).items).toEqual([]);
    expect(await one.search('tea')).toEqual([]);
    expect((await one.namespaces()).items).toEqual([]);
    await one.put({ id: 'z', content: 'tea' });
    expect((await other.search('tea')).map(({ id }) => id)).toEqual(['z']);
  });

  it("don't take it if one is put that never expires", async () => {
    const { one, other, keys } = openTwo();
    await one.put({ id: 'x', content: 'tea', ttlMs: 30 });
    await other.put({ id: 'y', content: 'tea with milk' });
    await wait(60);
    expect((await one.search('tea')).map(({ id }) => id)).toEqual(['y']);
    expect(await shared.client.pttl(keys.records)).toBe(-1);
  });

  it('are counted right while they expire during writes', async () => {
    const { one, other, keys } = openTwo();
    await Promise.all(
      Array.from({ length: 8 }, async (_, who) => {
        for (let n = 0; n < rounds(400); n++) {
          await (n % 2 ? one : other).put({ id: `${who}`, content: 'tea', ttlMs: 1 + ((who + n) % 3) });
        }
      }),
    );
    await wait(20);
    await one.put({ id: 'x', content: 'tea' });
    await one.compact();
    expect((await other.list()).items.map(({ id }) => id)).toEqual(['x']);
    expect((await other.search('tea')).map(({ id }) => id)).toEqual(['x']);
    expect(await shared.client.zcard(keys.changes)).toBe(1);
  });

  it('that were all deleted leave nothing of their namespace but when it was registered', async () => {
    const { one, other, keys } = openTwo();
    await one.putMany([
      { id: 'x', content: 'tea', ttlMs: 60_000 },
      { id: 'y', content: 'milk' },
    ]);
    await other.delete('x');
    await other.delete('y');
    const { state, ...others } = keys;
    expect(await shared.client.exists(...Object.values(others))).toBe(0);
    // When it was registered, for an hour.
    expect(Object.keys(await shared.client.hgetall(state))).toEqual(['r']);
    expect(await shared.client.pttl(state)).toBeGreaterThan(0);
  });
});
