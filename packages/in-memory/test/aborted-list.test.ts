import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

/** Lets each step of a list end after its first record. Returns a function that counts how often steps read the clock. */
function slowDown(): () => number {
  let now = 0;
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

it.each([
  ['a filter', { filter: { bird: 'egret' } }],
  ['descendants', { filter: { bird: 'egret' }, descendants: true }],
  ['asOf', { filter: { bird: 'egret' }, asOf: '2020-01-01T00:00:00Z' }],
])('a list with %s ends at the next step after it is aborted', async (_, options) => {
  const store = new InMemoryStore({ name: 'memory' });
  await store.putMany(
    Array.from({ length: 1_000 }, (_, n) => ({ content: `heron ${n}`, metadata: { bird: 'heron' } })),
  );
  const reads = slowDown();
  const controller = new AbortController();
  let error: unknown;
  void store.list({ ...options, signal: controller.signal }).catch((reason) => {
    error = reason;
  });
  await turn();
  controller.abort();
  await turn();
  expect(error).toMatchObject({ code: 'ABORTED' });
  // The list itself needs 1,000 turns, and reads the clock in each.
  const before = reads();
  for (let turns = 0; turns < 200; turns++) await turn();
  expect(reads() - before).toBeLessThan(100);
});
