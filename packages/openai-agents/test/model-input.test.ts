import { ConversationMemory } from '@keepsake/conversations';
import { MemoryManager } from '@keepsake/core';
import { InMemorySession, InMemoryStore } from '@keepsake/in-memory';
import { openCalls, resultIds } from '@keepsake/internal';
import { historyOfKinds, modelHistories, modelHistory } from '@keepsake/testing/model-histories';
import { modelInputFaults } from '@keepsake/testing/model-input-faults';
import { agentsToResponses } from '@keepsake/testing/model-inputs/from-agents';
import { rounds } from '@keepsake/testing/share';
import { Agent, type AgentInputItem, OpenAIResponsesModel, setTracingDisabled, withTrace } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { conversationRunner, memoryRunner, recentHistory } from '../src/index.ts';

beforeAll(() => setTracingDisabled(true));

const SESSION = { sessionId: 'chat' };

const limits = fc.record(
  { maxItems: fc.integer({ min: 1, max: 20 }), maxTurns: fc.integer({ min: 1, max: 5 }) },
  { requiredKeys: [] },
);

/** What the rules of the service look at. */
const ruled = (items: readonly object[]) =>
  JSON.parse(
    JSON.stringify(
      (items as Record<string, unknown>[]).map(
        ({ type = 'message', role, id, call_id, approval_request_id, caller }) => ({
          ...{ type, role, id: id ?? undefined, call_id: call_id ?? undefined, approval_request_id },
          caller: (caller as { caller_id?: string } | undefined)?.caller_id,
        }),
      ),
    ),
  );

it('the rules of the service apply to items as the SDK sends them', async () => {
  const inputs: object[][] = [];
  const create = async ({ input }: { input: object[] }) => {
    inputs.push(input);
    return { id: 'resp_1', output: [], usage: {} };
  };
  const model = new OpenAIResponsesModel({ responses: { create } } as never, 'gpt-5-mini');
  const request = { modelSettings: {}, tools: [], handoffs: [], outputType: 'text' as const, tracing: false };
  const { items } = historyOfKinds('agents');
  await withTrace('input', () => model.getResponse({ ...request, input: items as AgentInputItem[] }));
  expect(inputs.map(ruled)).toEqual([ruled(agentsToResponses(items))]);
});

it('recentHistory gives a model what its service accepts, also with results as the new input', async () => {
  await fc.assert(
    fc.asyncProperty(modelHistories('agents'), limits, fc.nat({ max: 6 }), async (history, options, back) => {
      const items = history.items as AgentInputItem[];
      const asked: AgentInputItem = { role: 'user', content: 'And now?' };
      const recent = recentHistory(options);
      const before = items.slice(0, Math.max(items.length - back, 1));
      expect(modelInputFaults(history, await recent(before, [asked]))).toEqual([]);
      // A new input answers all calls, except for programs, which go on with the results.
      if (openCalls(before).some((id) => !id.startsWith('call program_'))) return;
      const results = trailingResults(before);
      const calls = before.slice(0, before.length - results.length);
      expect(modelInputFaults(history, await recent(calls, results))).toEqual([]);
    }),
    { numRuns: rounds(1_000, 100) },
  );
});

it('recentHistory keeps a program whose calls the new input answers', async () => {
  const [asked, program, call, shell, ...results] = modelHistory('agents', [['program with calls']]).items;
  const history = [asked, program, call, shell] as AgentInputItem[];
  const answers = results as AgentInputItem[];
  expect(await recentHistory({ maxTurns: 1 })(history, answers)).toEqual([...history, ...answers]);
});

it('a run of a conversation begins with what its service accepts, also after a failed one', async () => {
  await fc.assert(
    fc.asyncProperty(
      modelHistories('agents'),
      fc.nat({ max: 3 }),
      fc.boolean(),
      fc.boolean(),
      async (history, popped, isFailed, feedToolCallResults) => {
        const store = new InMemoryStore({ name: 'chats' });
        const memory = new ConversationMemory({
          store,
          fullSessionMemory: true,
          load: { toolCalls: feedToolCallResults },
        });
        const conversation = memory.for<AgentInputItem>('agent', SESSION);
        const items = history.items as AgentInputItem[];
        const starts = items.flatMap((item, index) => ('role' in item && item.role === 'user' ? [index] : []));
        const turns = starts.map((start, turn) => items.slice(start, starts[turn + 1]));
        const failed = isFailed ? turns.pop() : undefined;
        for (const turn of turns) await conversation.save({ status: 'completed', items: turn });
        for (let count = 0; count < popped; count++) await conversation.asSession().popItem();
        if (failed !== undefined) await conversation.save({ status: 'error', items: failed });

        const model = new ScriptedModel([[assistantMessage('Yes.')]]);
        const agent = new Agent({ name: 'Guide', model });
        const runner = conversationRunner({ memory });
        if (failed === undefined) await runner.run(agent, 'Go on.', SESSION);
        else await runner.resume(agent, SESSION);
        expect(model.calls).toHaveLength(1);
        expect(modelInputFaults(history, model.calls[0]?.request.input as object[])).toEqual([]);
      },
    ),
    { numRuns: rounds(300, 40) },
  );
});

it('a run with memory begins with what its service accepts', async () => {
  const store = new InMemoryStore({ name: 'facts', extraction: false });
  await store.add('Alice lives in Lisbon since May.');
  const memory = new MemoryManager({ stores: [store] });
  await fc.assert(
    fc.asyncProperty(modelHistories('agents'), fc.integer({ min: 1, max: 5 }), async (history, maxTurns) => {
      const session = new InMemorySession<AgentInputItem>();
      await session.addItems(history.items as AgentInputItem[]);
      const model = new ScriptedModel([[assistantMessage('In Lisbon.')]]);
      const runner = memoryRunner(memory, { sessionInputCallback: recentHistory({ maxTurns }) });
      await runner.run(new Agent({ name: 'Guide', model }), 'Where does Alice live?', { session });
      const input = model.firstCall?.request.input as object[];
      expect(JSON.stringify(input.at(-1))).toContain('Lisbon');
      expect(modelInputFaults(history, input)).toEqual([]);
    }),
    { numRuns: rounds(300, 40) },
  );
});

/** The results of the client with which a history ends. */
function trailingResults(items: readonly AgentInputItem[]): AgentInputItem[] {
  const isResult = (item: AgentInputItem) => resultIds(item).length > 0 && item.id === undefined;
  return items.slice(items.findLastIndex((item) => !isResult(item)) + 1);
}
