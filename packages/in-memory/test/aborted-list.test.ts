import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { InMemoryStore } from '../src/index.ts';

/** Lets each step of a list end after its first record. */
function slowDown(): void {
  let now = 0;
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
  onTestFinished(() => spy.mockRestore());
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
  slowDown();
  const controller = new AbortController();
  let error: unknown;
  void store.list({ ...options, signal: controller.signal }).catch((reason) => {
    error = reason;
  });
  await turn();
  controller.abort();
  // Settles in one of the next turns. The list itself needs 1,000.
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(error).toMatchObject({ code: 'ABORTED' });
});
