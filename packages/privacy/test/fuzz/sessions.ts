import type { SessionHistoryMutation, SessionHistoryTransaction } from '@keepsake/core';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { encrypted } from '../../src/index.ts';
import { TestSession } from '../support/test-session.ts';

/** Items with calls and their results. */
const HISTORY: readonly object[] = [
  { role: 'user', content: 'What is the weather?' },
  { type: 'reasoning', id: 'rs', content: [] },
  { type: 'function_call', callId: 'c1', name: 'weather', arguments: '{"city":"Ghent"}' },
  { type: 'function_call_result', callId: 'c1', name: 'weather', output: { type: 'text', text: 'Rain' } },
  { role: 'assistant', content: [{ toolUse: { name: 'weather', toolUseId: 'c2', input: {} } }] },
];

const CHANGES = {
  items: HISTORY.slice(0, 4),
  limit: 3,
  transaction: { type: 'replace_suffix', expectedSuffix: [HISTORY[3]], replacement: [HISTORY[0]] },
  mutations: [{ type: 'replace_function_call', callId: 'c1', replacement: HISTORY[2] }],
};

export const histories = fuzzTarget({
  input: (random) => mutateJson(random, CHANGES, HISTORY) as typeof CHANGES,
  async run(changes) {
    const session = new TestSession('test', HISTORY.slice(0, 4));
    const { items, limit, transaction, mutations } = { ...changes };
    await session.applyHistoryTransaction({
      operationId: 'operation',
      transaction: transaction as unknown as SessionHistoryTransaction<never>,
    });
    await session.applyHistoryMutations({ mutations: mutations as unknown as SessionHistoryMutation<never>[] });
    await session.addItems(items as never);
    await session.getItems(limit);
  },
});

/** The same in all runs, so that a seed repeats a run. */
const keyFrom = (start: number) => Uint8Array.from({ length: 32 }, (_, index) => (start + 37 * index) % 256);
const RING = { current: 'one', keys: { one: keyFrom(1), two: keyFrom(2) } };
const sealed = new TestSession('test');
await encrypted(sealed, RING).addItems(HISTORY as never);
const ENVELOPES: unknown[] = await sealed.getItems();

export const envelopes = fuzzTarget({
  input: (random) => mutateJson(random, ENVELOPES.slice(0, 3), ENVELOPES) as object[],
  async run(items) {
    const session = encrypted(new TestSession('test', items), RING);
    await session.getItems();
  },
});

export const keyRings = fuzzTarget({
  input: (random) => mutateJson(random, { current: 'one', keys: { one: 'text', two: [1, 2] } }),
  run: (ring) => encrypted(new TestSession('test'), ring as never),
});
