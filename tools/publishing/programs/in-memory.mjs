// A session, sessions of one store, and a memory store of two users.
import assert from 'node:assert/strict';
import { InMemorySession, InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';

const session = new InMemorySession({ sessionId: undefined, initialItems: [{ role: 'user', content: 'Hello' }] });
await session.addItems([{ role: 'assistant', content: 'Hello!' }]);
assert.equal((await session.getItems()).length, 2);
assert.deepEqual(await session.popItem(), { role: 'assistant', content: 'Hello!' });

const sessions = new InMemorySessionStore();
await sessions.open('chat-43').addItems([{ role: 'user', content: 'Me too' }]);
assert.deepEqual(await sessions.open('chat-43').getItems(), [{ role: 'user', content: 'Me too' }]);
assert.equal((await sessions.list()).items[0]?.sessionId, 'chat-43');

const memory = new InMemoryStore({ name: 'facts' });
const alice = memory.within(['u', 'alice']);
await alice.add('Prefers aisle seats', { topic: 'travel', source: undefined });
await alice.put({ id: 'tea', content: 'Likes tea', metadata: { since: undefined }, ttlMs: undefined });
assert.deepEqual((await alice.get('tea'))?.metadata, {});
assert.equal(
  (await alice.search('which seat?', { filter: undefined, signal: undefined }))[0]?.content,
  'Prefers aisle seats',
);
assert.deepEqual(await memory.within(['u', 'bob']).search('which seat?'), []);
