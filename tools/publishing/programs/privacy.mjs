// A session of one's own is encrypted, and texts are redacted.
import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';
import { encrypted, redactText } from '@keepsake/privacy';

/** @type {import('@keepsake/core').JsonObject[]} */
const items = [];

/** @type {import('@keepsake/core').DurableSession} */
const plain = {
  getSessionId: async () => 'chat-1',
  getItems: async (limit = items.length) => items.slice(Math.max(0, items.length - limit)),
  addItems: async (more) => void items.push(...more),
  popItem: async () => items.pop(),
  clearSession: async () => void items.splice(0),
  applyHistoryTransaction: async ({ transaction }) => {
    const isAppend = transaction.type === 'append_items';
    if (!isAppend) items.splice(items.length - transaction.expectedSuffix.length);
    items.push(...(isAppend ? transaction.items : transaction.replacement));
  },
  applyHistoryMutations: async () => assert.fail('Not needed here.'),
  replaceHistoryWithCompaction: async (compacted) => void items.splice(0, items.length, ...compacted),
};

const key = crypto.getRandomValues(new Uint8Array(32));
const session = encrypted(plain, { current: 'a', keys: { a: key } });
await session.addItems([
  { role: 'user', content: 'The code is 4711.' },
  { role: 'assistant', content: 'Noted.' },
  { role: 'user', content: 'What was it?' },
]);

assert.ok(!JSON.stringify(items).includes('4711'), 'stored in clear');
assert.equal((await session.getItems()).length, 3);

const stranger = encrypted(plain, { current: 'a', keys: { a: crypto.getRandomValues(new Uint8Array(32)) } });
await assert.rejects(stranger.getItems(), (error) => isMemoryError(error) && error.code === 'INVALID_ARGUMENT');

assert.equal(redactText('Use DB_PASSWORD="correct horse"'), 'Use DB_PASSWORD="[redacted]"');
