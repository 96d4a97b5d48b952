import { historyOfKinds, type ModelHistory, modelHistories, modelHistory } from '@keepsake/testing/model-histories';
import { modelInputFaults } from '@keepsake/testing/model-input-faults';
import { uiToAiSdk } from '@keepsake/testing/model-inputs/from-ui';
import { rounds } from '@keepsake/testing/share';
import { convertToModelMessages, type UIMessage } from 'ai';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutOpenCalls } from '../src/chat/tool-parts.ts';

const sent = ({ items }: ModelHistory) => (items as UIMessage[]).flatMap(withoutOpenCalls);

it('messages without their open calls are accepted by the service', () => {
  fc.assert(
    fc.property(modelHistories('ui'), (history) => {
      expect(modelInputFaults(history, sent(history))).toEqual([]);
    }),
    { numRuns: rounds(1_000, 200) },
  );
});

it('an open call is left out with its reasoning, and so is a message with nothing else', () => {
  const history = modelHistory('ui', [['reasoning', 'open call']], [['message']]);
  expect(sent(history)).toEqual([history.items[0], ...history.items.slice(2)]);
});

it('the checker of what services accept converts messages as the AI SDK does', async () => {
  const cutOff = ['open call', 'open failed call', 'open hosted call', 'open approval', 'decided approval'];
  const histories = [
    historyOfKinds('ui'),
    ...cutOff.map((kind) => modelHistory('ui', [['message', kind, 'call']])),
    modelHistory('ui', [['decided denied approval', 'decided MCP approval']]),
  ];
  for (const { items } of histories) {
    const converted = await convertToModelMessages(items as UIMessage[]);
    expect(items.flatMap(uiToAiSdk).map(ruled)).toEqual(converted.map(ruled));
  }
});

/** What the rules of services look at. */
function ruled({ role, content }: { readonly role: string; readonly content: unknown }) {
  const parts = typeof content === 'string' ? [{ type: 'text' }] : (content as Record<string, unknown>[]);
  const fields = ({ type, toolCallId, approvalId, providerExecuted, providerOptions }: Record<string, unknown>) => ({
    ...{ type, toolCallId, approvalId, providerExecuted, providerOptions },
  });
  return { role, parts: parts.map(fields) };
}
