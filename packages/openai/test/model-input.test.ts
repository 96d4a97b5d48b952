import { type JsonObject, type RecentItemsOptions, recentItems } from '@keepsake/core';
import { InMemorySession } from '@keepsake/in-memory';
import { withoutToolCalls } from '@keepsake/internal';
import { historyOfKinds, modelHistories } from '@keepsake/testing/model-histories';
import { rounds } from '@keepsake/testing/share';
import { type AgentInputItem, OpenAIResponsesModel, setTracingDisabled, withTrace } from '@openai/agents';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { compacting, OpenAIConversationsSession } from '../src/index.ts';
import { emulated } from './emulated.ts';

/* The emulator refuses what the Responses API refuses. */

beforeAll(() => setTracingDisabled(true));

const limits: fc.Arbitrary<RecentItemsOptions> = fc.record(
  { maxItems: fc.integer({ min: 1, max: 20 }), maxTurns: fc.integer({ min: 1, max: 5 }) },
  { requiredKeys: [] },
);

async function setup() {
  const { client } = await emulated();
  const model = new OpenAIResponsesModel(client as never, 'gpt-5-mini');
  /** Sends items as the OpenAI Agents SDK does. */
  async function send(items: readonly object[]) {
    const request = { modelSettings: {}, tools: [], handoffs: [], outputType: 'text' as const, tracing: false };
    await withTrace('input', () => model.getResponse({ ...request, input: items as AgentInputItem[] }));
  }
  return { client, send };
}

it('conversations of the service hold each kind of item, which the service accepts again', async () => {
  const { client, send } = await setup();
  const items = historyOfKinds('agents').items as JsonObject[];
  const session = new OpenAIConversationsSession({ client });
  await session.addItems(items);
  const stored = await session.getItems();
  expect(stored.map(({ type }) => type)).toEqual(items.map(({ type }) => type));
  await send(stored);
});

it('what is left of conversations of the service after a window, popItem and withoutToolCalls is accepted', async () => {
  const { client, send } = await setup();
  await fc.assert(
    fc.asyncProperty(modelHistories('agents'), limits, fc.nat({ max: 3 }), async ({ items }, options, popped) => {
      const session = new OpenAIConversationsSession({ client });
      await session.addItems(items as JsonObject[]);
      for (let count = 0; count < popped; count++) await session.popItem();
      const window = await recentItems(session, options);
      await send(window);
      await send(withoutToolCalls(window));
    }),
    { numRuns: rounds(200, 15) },
  );
});

it('a history can be compacted after it was cut off at any place, and goes on', async () => {
  const { client, send } = await setup();
  await fc.assert(
    fc.asyncProperty(modelHistories('agents'), fc.nat({ max: 3 }), async ({ items }, popped) => {
      const archive = new InMemorySession();
      const session = compacting(new InMemorySession(), { client, model: 'gpt-5-mini', threshold: 1, archive });
      await session.addItems(items as JsonObject[]);
      for (let count = 0; count < popped; count++) await session.popItem();
      const before = await session.getItems();
      const compacted = await session.runCompaction();
      // Messages of the user stay.
      const replaced = before.filter(({ role, type }) => role !== 'user' && type !== 'compaction');
      if (compacted !== null) expect(await archive.getItems()).toEqual(expect.arrayContaining(replaced));
      await send(await recentItems(session, {}));
    }),
    { numRuns: rounds(200, 15) },
  );
});
