import { ConversationMemory } from '@keepsake/conversations';
import { MemoryManager, recentItems } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { modelHistories } from '@keepsake/testing/model-histories';
import { modelInputFaults } from '@keepsake/testing/model-input-faults';
import { rounds } from '@keepsake/testing/share';
import { generateText, type ModelMessage, type UIMessage, wrapLanguageModel } from 'ai';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { conversationChat, memoryMiddleware } from '../src/index.ts';
import { scriptedModel } from './programs/scripted-model.ts';

const ALICE = { userId: 'alice' };

it('a model with memory gets what its service accepts', async () => {
  const store = new InMemoryStore({ name: 'facts', extraction: false });
  await store.add('Alice lives in Lisbon since May.');
  const memory = new MemoryManager({ stores: [store] });
  await fc.assert(
    fc.asyncProperty(modelHistories('ai-sdk'), fc.integer({ min: 1, max: 5 }), async (history, maxTurns) => {
      // The SDK tells its providers nothing of requests for approvals.
      fc.pre(!JSON.stringify(history).includes('"approved":true,"providerExecuted":true'));
      const asked = { role: 'user', content: [{ type: 'text', text: 'Where does Alice live?' }] };
      const items = [...history.items, asked];
      const messages = await recentItems(
        { getItems: async (limit = items.length) => items.slice(-limit) },
        { maxTurns },
      );
      const model = scriptedModel('In Lisbon.');
      await generateText({
        model: wrapLanguageModel({ model, middleware: memoryMiddleware(memory) }),
        messages: messages as ModelMessage[],
      });
      const prompt = model.doGenerateCalls[0]?.prompt ?? [];
      expect(JSON.stringify(prompt.at(-1))).toContain('Lisbon');
      expect(modelInputFaults(history, prompt)).toEqual([]);
    }),
    { numRuns: rounds(300, 40) },
  );
});

it('an answer of a chat begins with what its service accepts, also after one that was cut off', async () => {
  await fc.assert(
    fc.asyncProperty(
      modelHistories('ui'),
      fc.constantFrom(undefined, 'error', 'cancelled', 'paused', 'running'),
      fc.boolean(),
      async (history, cutOff, feedToolCallResults) => {
        const store = new InMemoryStore({ name: 'chats' });
        const memory = new ConversationMemory({
          store,
          fullSessionMemory: true,
          load: { toolCalls: feedToolCallResults },
        });
        const conversation = memory.for<UIMessage>('agent', { sessionId: 'chat', ...ALICE });
        const messages = history.items as UIMessage[];
        for (let start = 0; start < messages.length; start += 2) {
          const isCutOff = cutOff !== undefined && start + 2 >= messages.length;
          const status = isCutOff ? cutOff : 'completed';
          await conversation.save({ status, items: messages.slice(start, start + 2) } as never);
        }
        const message = { id: 'new', role: 'user', parts: [{ type: 'text', text: 'And now?' }] };
        const sent = await conversationChat(memory).answer({ id: 'chat', message }, ALICE, (turn) => turn.messages);
        expect(sent.at(-1)).toEqual(message);
        expect(modelInputFaults(history, sent)).toEqual([]);
      },
    ),
    { numRuns: rounds(300, 40) },
  );
});
