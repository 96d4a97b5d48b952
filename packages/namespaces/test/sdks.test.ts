import { memoryTools as aiTools, memoryMiddleware } from '@keepsake/ai-sdk';
import { MemoryManager, type MemoryManagerOptions } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { memoryRunner, memoryTools as openAiTools } from '@keepsake/openai-agents';
import { keepsake } from '@keepsake/strands';
import { Agent as OpenAiAgent, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import {
  Model,
  type ModelStreamEvent,
  Agent as StrandsAgent,
  type Message as StrandsMessage,
} from '@strands-agents/sdk';
import { generateText, isStepCount, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import { MemorySpace } from '../src/index.ts';
import { contents } from './support.ts';

/* The bridges accept the tools and the preamble of a scope unchanged: each real SDK runs the worker of the guide. */

const CALLS = [
  ['remember', { key: 'color', content: 'Her favorite color is teal', namespace: 'agent:researcher:u:bob' }],
  ['share_finding', { key: 'budget', content: 'The budget is 40,000' }],
  ['share_to', { pool: 'org:engineering-docs', key: 'api-spec', content: 'OpenAPI 3.1' }],
  ['recall', { key: 'color' }],
  ['recall', { key: 'nothing' }],
  ['list_pool', { pool: 'org:secret' }],
] as const;

const RESULTS = [
  "Remembered 'color'.",
  "Shared 'budget'.",
  "Shared 'api-spec'.",
  'Her favorite color is teal',
  "No memory found for key 'nothing'.",
  'There is no such pool. Available pools: org:engineering-docs.',
];

function setup() {
  const store = new InMemoryStore({ name: 'memory' });
  const space = new MemorySpace({
    store,
    agents: { researcher: { sharedNamespaces: ['org:engineering-docs'] } },
    pools: { 'org:engineering-docs': { readers: ['*'], writers: ['*'] } },
    teams: { 'research-team': { members: ['alice'] } },
  });
  const alice = space.as({ principal: { id: 'alice' }, agent: 'researcher', team: 'research-team' });
  const options: MemoryManagerOptions = {
    stores: [alice.source()],
    searchToolConfig: false,
    injection: { maxEntries: 20 },
  };
  return { store, alice, memory: new MemoryManager(options) };
}

async function expectWork({ store, alice }: ReturnType<typeof setup>, asked: string, results: string): Promise<void> {
  expect(asked).toContain('Plays the oboe');
  for (const result of RESULTS) expect(results).toContain(JSON.stringify(result).slice(1, -1));
  await alice.memory.delete('oboe');
  expect(await contents({ store })).toEqual({
    'agent:researcher:u:alice': ['Her favorite color is teal'],
    'team:research-team': ['The budget is 40,000'],
    'org:engineering-docs': ['OpenAPI 3.1'],
  });
}

it('the AI SDK accepts the tools and the preamble of a scope', async () => {
  const parts = setup();
  await parts.alice.memory.put({ id: 'oboe', content: 'Plays the oboe' });
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  let call = 0;
  const inner = new MockLanguageModelV4({
    doGenerate: async () => {
      const [toolName, input] = CALLS[call] ?? [];
      const toolCallId = `call-${call++}`;
      return toolName === undefined
        ? {
            content: [{ type: 'text', text: 'Done.' }],
            finishReason: { unified: 'stop', raw: undefined },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }],
            finishReason: { unified: 'tool-calls', raw: undefined },
            usage,
            warnings: [],
          };
    },
  });
  const model = wrapLanguageModel({ model: inner, middleware: memoryMiddleware(parts.memory) });
  const tools = aiTools(parts.memory);
  expect(Object.keys(tools)).toHaveLength(15);
  const { text } = await generateText({ model, tools, prompt: 'Go on.', stopWhen: isStepCount(10) });
  expect(text).toBe('Done.');
  const [first, last] = [inner.doGenerateCalls[0], inner.doGenerateCalls.at(-1)];
  await expectWork(parts, JSON.stringify(first?.prompt), JSON.stringify(last?.prompt));
});

it('the OpenAI Agents SDK accepts the tools and the preamble of a scope', async () => {
  setTracingDisabled(true);
  const parts = setup();
  await parts.alice.memory.put({ id: 'oboe', content: 'Plays the oboe' });
  const model = new ScriptedModel([
    ...CALLS.map(([name, input], index) => [functionCall(name, input, { callId: `call-${index}` })]),
    [assistantMessage('Done.')],
  ]);
  const agent = new OpenAiAgent({ name: 'Researcher', model, tools: openAiTools(parts.memory) });
  const result = await memoryRunner(parts.memory).run(agent, 'Go on.');
  expect(result.finalOutput).toBe('Done.');
  const inputs = model.calls.map(({ request }) => JSON.stringify(request.input));
  expect(model.calls[0]?.request.tools).toHaveLength(15);
  await expectWork(parts, String(inputs[0]), String(inputs.at(-1)));
});

it('Strands accepts the tools and the preamble of a scope', async () => {
  const parts = setup();
  await parts.alice.memory.put({ id: 'oboe', content: 'Plays the oboe' });
  const model = new CallingModel();
  const agent = new StrandsAgent({ model, plugins: [keepsake(parts.memory)], printer: false });
  const result = await agent.invoke('Go on.');
  expect(JSON.stringify(result.lastMessage)).toContain('Done.');
  expect(agent.tools).toHaveLength(15);
  await expectWork(parts, String(model.inputs[0]), String(model.inputs.at(-1)));
});

/** A Strands model that makes the calls one after another. */
class CallingModel extends Model {
  readonly inputs: string[] = [];

  override updateConfig(): void {}

  override getConfig() {
    return { modelId: 'scripted' };
  }

  override async *stream(messages: StrandsMessage[]): AsyncGenerator<ModelStreamEvent> {
    const [name, input] = CALLS[this.inputs.length] ?? [];
    const toolUseId = `use-${this.inputs.length}`;
    this.inputs.push(JSON.stringify(messages));
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    if (name === undefined) {
      yield { type: 'modelContentBlockStartEvent' };
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: 'Done.' } };
    } else {
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId } };
      yield {
        type: 'modelContentBlockDeltaEvent',
        delta: { type: 'toolUseInputDelta', input: JSON.stringify(input) },
      };
    }
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: name === undefined ? 'endTurn' : 'toolUse' };
  }
}
