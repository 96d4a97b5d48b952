/*
 * Observes messages and ends. The argument is JSON: `managers`, how many managers observe a message; `store`: whether it
 * `works`, is `down`, is `slow` (down, after a moment), `refuses` with an error of its backend, or `recovers` after that;
 * `other`: a second store, likewise; `end`: `forgotten`, `flush` before the end, `again` (a flush, one that succeeds, and
 * another message), `recipe` (a listener of beforeExit that flushes), `early` (the same, registered first), `later` (a listener
 * that flushes a moment later), `exit` or `throw`; `outbox`: whether there is one. Prints the number of flushes and of calls to
 * the stores at the end.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { MemoryError, MemoryManager, type MemoryStore } from '@keepsake/core';

const { managers = 1, store = 'works', other, end, outbox, thread = 'chat' } = JSON.parse(process.argv[2] ?? '{}');
// Only the outbox needs a backend, which takes as long to load as everything else.
const openOutbox = async () => new (await import('../../src/index.ts')).InMemoryStore({ name: 'outbox' });
const kept = outbox ? { outbox: await openOutbox() } : {};
let calls = 0;
let flushes = 0;

function storeOf(store: string, name: string): MemoryStore {
  return {
    name,
    writable: true,
    extraction: { trigger: { name: 'never', attach() {} } },
    search: async () => [],
    async addMessages() {
      calls++;
      if (store === 'slow') await wait(20);
      if (store === 'down' || store === 'slow') throw new Error('down');
      if (store === 'refuses' || (store === 'recovers' && calls === 1)) {
        const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
        throw new MemoryError('BACKEND', 'Start it.', { cause });
      }
    },
  };
}

const all = Array.from(
  { length: managers },
  () =>
    new MemoryManager({
      stores: [storeOf(store, 'facts'), ...(other === undefined ? [] : [storeOf(other, 'others')])],
      telemetry: { onStoreError() {} },
      ...kept,
    }),
);

const flush = async () => {
  flushes++;
  await Promise.all(all.map((memory) => memory.flush()));
};
const observe = () => {
  for (const memory of all)
    memory.conversation({ id: thread }).observe({ role: 'user', content: 'I have moved to Lisbon.' });
};
if (end === 'early') process.on('beforeExit', flush);
observe();
if (end === 'flush') await flush();
if (end === 'again') {
  await flush();
  await flush();
  observe();
}
if (end === 'recipe') process.on('beforeExit', flush);
if (end === 'later') {
  process.on('beforeExit', async () => {
    await Promise.resolve();
    await flush();
  });
}
process.on('exit', () => console.log(JSON.stringify({ flushes, calls })));
if (end === 'exit') process.exit();
if (end === 'throw') throw new Error('The program failed.');
