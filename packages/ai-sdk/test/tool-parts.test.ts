import { type ModelHistory, modelHistories, modelHistory } from '@keepsake/testing/model-histories';
import { modelInputFaults } from '@keepsake/testing/model-input-faults';
import { rounds } from '@keepsake/testing/share';
import type { UIMessage } from 'ai';
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
