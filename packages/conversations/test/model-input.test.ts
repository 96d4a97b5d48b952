import type { JsonObject } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { type ModelHistory, modelHistories, modelHistory } from '@keepsake/testing/model-histories';
import { modelInputFaults } from '@keepsake/testing/model-input-faults';
import { rounds } from '@keepsake/testing/share';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConversationMemory, type ConversationMemoryOptions } from '../src/index.ts';

type Limits = Omit<ConversationMemoryOptions, 'store'>;

/** A conversation whose turns are completed runs. */
async function conversationOf(history: ModelHistory, limits: Limits) {
  const memory = new ConversationMemory({
    store: new InMemoryStore({ name: 'conversations' }),
    fullSessionMemory: true,
    ...limits,
  });
  const agent = memory.for('agent');
  const items = history.items as JsonObject[];
  const isQuestion = (item: JsonObject) => item.role === 'user' && !JSON.stringify(item).includes('toolResult');
  const starts = items.flatMap((item, index) => (isQuestion(item) ? [index] : []));
  for (const [run, start] of starts.entries())
    await agent.save({ status: 'completed', items: items.slice(start, starts[run + 1]) });
  return agent;
}

const limits: fc.Arbitrary<Limits> = fc
  .record(
    {
      toolCalls: fc.boolean(),
      limit: fc.oneof(
        fc.record({ lastTurns: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ lastMessages: fc.integer({ min: 1, max: 8 }) }),
      ),
    },
    { requiredKeys: ['toolCalls'] },
  )
  .map(({ limit, ...rest }) => ({ load: { ...rest, ...limit } }));

describe('the history that prepare returns', () => {
  it.each(['responses', 'agents', 'strands', 'ai-sdk'] as const)(
    'is accepted by its service, within its limits and after popItem, as items of %s',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(modelHistories(format), limits, fc.nat({ max: 4 }), async (history, options, popped) => {
          const agent = await conversationOf(history, options);
          const session = agent.asSession();
          for (let count = 0; count < popped; count++) await session.popItem();
          const { messageHistory } = await agent.prepare();
          expect(modelInputFaults(history, messageHistory)).toEqual([]);
          const messages = messageHistory.filter(({ type }) => type !== 'reasoning');
          expect(messages.length).toBeLessThanOrEqual(options.load?.lastMessages ?? Infinity);
        }),
        { numRuns: rounds(500, 50) },
      );
    },
  );

  it('is accepted by its service without the calls of messages of user interfaces', async () => {
    await fc.assert(
      fc.asyncProperty(modelHistories('ui'), async (history) => {
        const agent = await conversationOf(history, {});
        expect(modelInputFaults(history, (await agent.prepare()).messageHistory)).toEqual([]);
      }),
      { numRuns: rounds(500, 50) },
    );
  });
});

describe('lastMessages', () => {
  const chat = modelHistory('responses', [['message']], [['message']], [['reasoning', 'message']]);
  const [, , third, fourth, fifth, reasoning, sixth] = chat.items;

  it.each([
    [0, []],
    [1, []],
    [2, [fifth, reasoning, sixth]],
    [3, [fifth, reasoning, sixth]],
    [4, [third, fourth, fifth, reasoning, sixth]],
    [100, chat.items],
  ])('of %i messages returns whole turns, and reasoning does not count', async (count, items) => {
    const agent = await conversationOf(chat, { load: { lastMessages: count } });
    expect((await agent.prepare()).messageHistory).toEqual(items);
    expect(await agent.asSession().getItems()).toEqual(items);
  });

  it('counts calls and results only where the model gets them', async () => {
    const history = modelHistory('strands', [['message', 'call'], ['message']], [['message']]);
    const messages = async (limits: Limits) => (await (await conversationOf(history, limits)).prepare()).messageHistory;
    const question = history.items[0];
    const joined = { role: 'assistant', content: [{ text: 'Text 2' }, { text: 'Text 4' }] };
    const newest = history.items.slice(4);
    expect(await messages({ load: { lastMessages: 4 } })).toEqual([question, joined, ...newest]);
    expect(await messages({ load: { lastMessages: 4, toolCalls: true } })).toEqual(newest);
    expect(await messages({ load: { lastMessages: 6, toolCalls: true } })).toEqual(history.items);
  });

  it('leaves the calls out of a turn that would not fit with them', async () => {
    const history = modelHistory('responses', [['call'], ['message']]);
    const agent = await conversationOf(history, { load: { lastMessages: 2, toolCalls: true } });
    expect((await agent.prepare()).messageHistory).toEqual([history.items[0], history.items[3]]);
  });
});
