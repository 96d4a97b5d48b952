import { ConversationMemory } from '@keepsake/conversations';
import { MemoryManager, recentItems } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { modelHistories } from '@keepsake/testing/model-histories';
import { modelInputFaults } from '@keepsake/testing/model-input-faults';
import { rounds } from '@keepsake/testing/share';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, type MessageData } from '@strands-agents/sdk';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { conversationPlugin, keepsake } from '../src/index.ts';

const ALICE = { sessionId: 'chat', userId: 'alice' };

const startsTurn = ({ role, content }: MessageData) => role === 'user' && !content.some((one) => 'toolResult' in one);

it.each([
  ['begins', false],
  ['goes on after a failed run', true],
])('an agent %s with what its service accepts', async (_, isFailed) => {
  await fc.assert(
    fc.asyncProperty(
      modelHistories('strands'),
      fc.nat({ max: 3 }),
      fc.boolean(),
      async (history, popped, feedToolCallResults) => {
        const store = new InMemoryStore({ name: 'chats' });
        const memory = new ConversationMemory({
          store,
          fullSessionMemory: true,
          load: { toolCalls: feedToolCallResults },
        });
        const conversation = memory.for<MessageData>('agent', ALICE);
        const items = history.items as MessageData[];
        const starts = items.flatMap((item, index) => (startsTurn(item) ? [index] : []));
        const turns = starts.map((start, turn) => items.slice(start, starts[turn + 1]));
        const failed = isFailed ? turns.pop() : undefined;
        for (const turn of turns) await conversation.save({ status: 'completed', items: turn });
        for (let count = 0; count < popped; count++) await conversation.asSession().popItem();
        if (failed !== undefined) await conversation.save({ status: 'error', items: failed });

        const model = new ScriptedModel('Yes.');
        const plugin = conversationPlugin(memory, ALICE);
        const agent = new Agent({ model, plugins: [plugin], printer: false });
        if (isFailed) expect(await plugin.restore(agent)).toBeDefined();
        await agent.invoke(isFailed ? [] : 'Go on.');
        expect(model.inputs).toHaveLength(1);
        expect(modelInputFaults(history, model.inputs[0] ?? [])).toEqual([]);
      },
    ),
    { numRuns: rounds(300, 40) },
  );
});

it('an agent with memory gets what its service accepts', async () => {
  const store = new InMemoryStore({ name: 'facts', extraction: false });
  await store.add('Alice lives in Lisbon since May.');
  // However busy the machine is.
  const memory = new MemoryManager({ stores: [store], search: { deadlineMs: 60_000 } });
  await fc.assert(
    fc.asyncProperty(modelHistories('strands'), fc.integer({ min: 1, max: 5 }), async (history, maxTurns) => {
      const asked: MessageData = { role: 'user', content: [{ text: 'Where does Alice live?' }] };
      const items = [...(history.items as MessageData[]), asked];
      const window = await recentItems({ getItems: async (limit = items.length) => items.slice(-limit) }, { maxTurns });
      const model = new ScriptedModel('In Lisbon.');
      const plugins = [keepsake(memory)];
      const agent = new Agent({ model, messages: window.slice(0, -1), plugins, printer: false });
      await agent.invoke(window.at(-1)?.content ?? []);
      const input = model.inputs[0]?.at(-1) as MessageData;
      if (startsTurn(input)) expect(JSON.stringify(input)).toContain('Lisbon');
      expect(modelInputFaults(history, model.inputs[0] ?? [])).toEqual([]);
    }),
    { numRuns: rounds(300, 40) },
  );
});
