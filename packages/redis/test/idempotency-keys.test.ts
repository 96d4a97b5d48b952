import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RedisSession, RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const shared = sharedRedis();

/** Changes the time of this process, but not of the server. */
function later(seconds: number): void {
  vi.setSystemTime(Date.now() + 1_000 * seconds);
}

async function keysOf(keyPrefix: string, name: string) {
  const keys = (await shared.client.keys('*')).filter((key) => key.startsWith(keyPrefix) && key.includes(name));
  return Promise.all(keys.map(async (key) => ({ key, ttl: await shared.client.pttl(key) })));
}

describe('the idempotency keys of changes', () => {
  it('of a session that is busy for a minute are in several keys of Redis, which expire one after the other', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const keyPrefix = freshPrefix();
    const session = new RedisSession({ client: shared.client, keyPrefix, sessionId: 'chat' });
    for (let n = 0; n < 12; n++) {
      await session.addItems([{ type: 'note' }]);
      await session.addItems([{ type: 'note' }]);
      later(5);
    }
    const keys = await keysOf(keyPrefix, 'session-marks');
    expect(keys.length).toBeGreaterThanOrEqual(3);
    for (const { ttl } of keys) expect(ttl).toBeGreaterThan(4 * 60_000);
    const sizes = await Promise.all(keys.map(({ key }) => shared.client.scard(key)));
    expect(sizes.reduce((sum, size) => sum + size)).toBe(24);
  });

  it('of a busy namespace are in several keys of Redis, which expire one after the other', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const keyPrefix = freshPrefix();
    const store = new RedisStore({ client: shared.client, keyPrefix, name: 'memory' });
    for (let n = 0; n < 12; n++) {
      await store.put({ content: `tea ${n}` });
      later(5);
    }
    const keys = await keysOf(keyPrefix, ':marks:');
    const own = keys.filter(({ key }) => !key.includes('{namespaces}'));
    expect(own.length).toBeGreaterThanOrEqual(6);
    for (const { ttl } of own) expect(ttl).toBeGreaterThan(50_000);
  });
});
