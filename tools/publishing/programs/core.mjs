// Contracts without an adapter: a window of the history of a session of one's own is cut.
import assert from 'node:assert/strict';
import { isMemoryError, MemoryError, recentItems } from '@keepsake/core';

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

await plain.addItems([
  { role: 'user', content: 'The code is 4711.' },
  { role: 'assistant', content: 'Noted.' },
  { role: 'user', content: 'What was it?' },
]);

assert.deepEqual(await recentItems(plain, { maxTurns: 1 }), [{ role: 'user', content: 'What was it?' }]);
await assert.rejects(
  recentItems(plain, { maxTurns: -1 }),
  (error) => isMemoryError(error, 'INVALID_ARGUMENT') && error instanceof MemoryError,
);
