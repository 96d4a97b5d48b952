import { recentItems } from '@keepsake/core';
import { withoutToolCalls } from '@keepsake/internal';
import { mutateJson, mutateJsonText } from '@keepsake/testing/fuzz/json';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { TestSession } from '../support/test-session.ts';
import { StoredTexts, TextSession } from '../support/text-session.ts';

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
    const session = new TestSession(items);
    await recentItems(session, limits);
    withoutToolCalls(await session.getItems());
  },
});

export const storedItems = fuzzTarget({
  input: (random) => mutateJsonText(random, HISTORY),
  async run(text) {
    await new TextSession(new StoredTexts([text])).getItems();
  },
});
