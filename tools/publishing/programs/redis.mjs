// Sessions and memory of two clients of one server, whose address is in REDIS_URL.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { RedisSession, RedisSessionStore, RedisStore } from '@keepsake/redis';
import { Redis } from 'ioredis';

const [client, other] = [new Redis(process.env.REDIS_URL ?? ''), new Redis(process.env.REDIS_URL ?? '')];
const keyPrefix = `${randomUUID()}:`;

const session = new RedisSession({ client, keyPrefix, sessionId: 'chat-42', ttlMs: 60_000 });
await session.addItems([{ role: 'user', content: 'I moved to Lisbon in May.' }]);
const sessions = new RedisSessionStore({ client: other, keyPrefix });
assert.deepEqual(await sessions.open('chat-42').getItems(), [{ role: 'user', content: 'I moved to Lisbon in May.' }]);
assert.equal((await sessions.list()).items[0]?.sessionId, 'chat-42');

const facts = new RedisStore({ client, keyPrefix, name: 'facts', namespace: ['u', 'alice'] });
await facts.add('Alice lives in Lisbon since May.', { topic: 'home', since: undefined });
await new RedisSession({ client, keyPrefix, sessionId: undefined, ttlMs: undefined }).clearSession();
const again = new RedisStore({ client: other, keyPrefix, name: 'facts' });
const [best] = await again.within(['u', 'alice']).search('Where does Alice live?', { filter: { topic: 'home' } });
assert.equal(best?.content, 'Alice lives in Lisbon since May.');
assert.deepEqual(await again.within(['u', 'bob']).search('Where does Alice live?'), []);
assert.equal(await again.clear({ descendants: true }), 1);

client.disconnect();
other.disconnect();
