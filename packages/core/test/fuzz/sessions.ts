import { encrypted, recentItems, type SessionHistoryMutation, type SessionHistoryTransaction } from '@keepsake/core';
import { readItem, withoutToolCalls } from '@keepsake/core/adapter';
import { mutateJson, mutateJsonText } from '@keepsake/testing/fuzz/json';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { TestSession } from '../support/durable-session.ts';

/** Items of each SDK, with calls and their results. */
const HISTORY: readonly object[] = [
  { role: 'user', content: 'What is the weather?' },
  { type: 'reasoning', id: 'rs', content: [] },
  { type: 'function_call', callId: 'c1', name: 'weather', arguments: '{"city":"Ghent"}' },
  { type: 'function_call_result', callId: 'c1', name: 'weather', output: { type: 'text', text: 'Rain' } },
  { role: 'assistant', content: [{ toolUse: { name: 'weather', toolUseId: 'c2', input: {} } }] },
  { role: 'user', content: [{ toolResult: { toolUseId: 'c2', content: [{ text: 'Sun' }] } }] },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c3', toolName: 'weather', input: {} }] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c3', toolName: 'weather', output: {} }] },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'c4', name: 'weather', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c4', content: 'Snow' }] },
  { role: 'assistant', content: 'Take a coat.' },
];

export const recentParts = fuzzTarget({
  input: (random) => ({
    items: mutateJson(random, HISTORY, HISTORY) as object[],
    limits: mutateJson(random, { maxItems: 3, maxTurns: 2, maxTokens: 50 }) as object,
  }),
  async run({ items, limits }) {
    const session = new TestSession('test', items);
    await recentItems(session, limits);
    withoutToolCalls(await session.getItems());
  },
});

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

export const storedItems = fuzzTarget({
  input: (random) => mutateJsonText(random, HISTORY),
  run: readItem,
});
