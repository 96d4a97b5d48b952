import { ConversationMemory, type ConversationMemoryOptions } from '@keepsake/conversations';
import { InMemoryStore } from '@keepsake/in-memory';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, type AgentConfig, type MessageData, type SystemPrompt, tool } from '@strands-agents/sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { conversationPlugin } from '../src/index.ts';

const ALICE = { sessionId: 'chat', userId: 'alice' };

/** Also records the system prompts. */
class WatchedModel extends ScriptedModel {
  readonly prompts: (SystemPrompt | undefined)[] = [];
  override async *stream(...args: Parameters<ScriptedModel['stream']>) {
    this.prompts.push(args[1]?.systemPrompt);
    yield* super.stream(...args);
  }
}

function openMemory(options: Partial<ConversationMemoryOptions> = {}): ConversationMemory {
  return new ConversationMemory({ store: new InMemoryStore({ name: 'chats' }), fullSessionMemory: true, ...options });
}

function setup(memory: ConversationMemory, replies: Reply[], names = ALICE, config: Partial<AgentConfig> = {}) {
  const done: string[] = [];
  const refund = tool({
    name: 'refund',
    description: 'Refunds.',
    inputSchema: z.object({}),
    callback: (_, context) => {
      const answer = String(context?.interrupt({ name: 'approval', reason: { amount: 80 } }));
      done.push(answer);
      return `Person says: ${answer}`;
    },
  });
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks up.',
    inputSchema: z.object({}),
    callback: () => `Found, ${done.push('look_up')}.`,
  });
  const model = new WatchedModel(...replies);
  const plugin = conversationPlugin(memory, names);
  const settings = { printer: false, retryStrategy: null, systemPrompt: 'Be brief.', tools: [refund, lookUp] };
  return { model, done, plugin, agent: new Agent({ model, plugins: [plugin], ...settings, ...config }) };
}

const texts = (messages: readonly object[] = []) =>
  (messages as MessageData[]).map(
    ({ role, content }) =>
      `${role}: ${content.map((block) => ('text' in block ? block.text : Object.keys(block)[0])).join()}`,
  );
const response = (interruptId: string, said: string) => [{ interruptResponse: { interruptId, response: said } }];
const messagesOf = async (memory: ConversationMemory) => texts(await memory.for('agent', ALICE).getMessages());

it('an agent starts with the history of its session, and with no other', async () => {
  const memory = openMemory();
  await setup(memory, ['Hello Alice.']).agent.invoke('I am Alice.');
  const { agent, model } = setup(memory, ['You are Alice.', 'Still Alice.']);
  await agent.invoke('Who am I?');
  await agent.invoke('And now?');
  expect(texts(model.inputs[0])).toEqual(['user: I am Alice.', 'assistant: Hello Alice.', 'user: Who am I?']);
  expect(texts(model.inputs[1])).toHaveLength(5);
  expect(await messagesOf(memory)).toHaveLength(6);
  const other = setup(memory, ['No idea.'], { sessionId: 'other', userId: 'bob' });
  await other.agent.invoke('Who am I?');
  expect(texts(other.model.inputs[0])).toEqual(['user: Who am I?']);
  await expect(setup(memory, ['x'], { ...ALICE, userId: 'bob' }).agent.invoke('x')).rejects.toThrow('another user');
});

it('the settings of the memory apply: the last turns, tools left out, summary and profile in the system prompt', async () => {
  const memory = openMemory({
    summaryMemory: { summariser: { summarise: async ({ said }) => `So far: ${said.at(-1)?.text}` } },
    userAnalysisMemory: { profiler: { analyse: async () => ({ name: 'Alice' }) } },
    load: { lastTurns: 1 },
  });
  const { agent, model } = setup(memory, ['One.', { tool: 'look_up', input: {} }, 'Two.', 'Three.']);
  for (const text of ['First', 'Second', 'Third']) await agent.invoke(text);
  expect(texts(model.inputs.at(-1))).toEqual(['user: Second', 'assistant: Two.', 'user: Third']);
  expect(JSON.stringify(model.prompts.at(-1))).toMatch(
    /Be brief\..*<UserProfile>.*name: Alice.*<SessionSummary>.*Two\./,
  );
  expect(await messagesOf(memory)).toContain('assistant: toolUse');
  expect(JSON.stringify(await memory.for('agent', ALICE).getMessages())).not.toMatch(/UserProfile|SessionSummary/);
});

it('a question whose answer was popped and the next one are one message for the model', async () => {
  const memory = openMemory();
  await setup(memory, ['Hello Alice.', 'A typing error.']).agent.invoke('I am Alice.');
  await memory.for('agent', ALICE).asSession().popItem();
  const { agent, model } = setup(memory, ['You are Alice.', 'Still.']);
  await agent.invoke('Who am I?');
  await agent.invoke('And now?');
  expect(texts(model.inputs[0])).toEqual(['user: I am Alice.,Who am I?']);
  expect(texts(model.inputs[1])).toEqual([
    'user: I am Alice.,Who am I?',
    'assistant: You are Alice.',
    'user: And now?',
  ]);
  expect(await messagesOf(memory)).toHaveLength(5);
});

it('an interrupted run is restored in another agent, and its tool runs once', async () => {
  const memory = openMemory();
  const first = setup(memory, [{ tool: 'refund', input: {} }]);
  expect((await first.agent.invoke('Refund.')).stopReason).toBe('interrupt');
  expect(await messagesOf(memory)).toEqual([]);
  expect((await memory.listRuns({ userId: 'alice' })).items).toMatchObject([
    { status: 'paused', pauseReason: 'Waits for a response to approval.' },
  ]);
  const second = setup(memory, ['Refunded.']);
  const restored = await second.plugin.restore(second.agent);
  expect(restored?.interrupts).toMatchObject([{ name: 'approval', reason: { amount: 80 } }]);
  await expect(second.agent.invoke('Something else')).rejects.toThrow('interrupted state');
  await second.agent.invoke(response(restored?.interrupts[0]?.id ?? '', 'yes'));
  expect([first.done, second.done]).toEqual([[], ['yes']]);
  expect(await messagesOf(memory)).toEqual([
    'user: Refund.',
    'assistant: toolUse',
    'user: toolResult',
    'assistant: Refunded.',
  ]);
  expect((await memory.listRuns({ userId: 'alice' })).items).toEqual([]);
  expect(await second.plugin.restore(second.agent)).toBeUndefined();
});

it('a restored run says if its tool may have run already', async () => {
  const memory = openMemory({ staleAfterMs: 0 });
  const first = setup(memory, [{ tool: 'refund', input: {} }]);
  const { interrupts = [] } = await first.agent.invoke('Refund.');
  const waiting = setup(memory, []);
  expect(await waiting.plugin.restore(waiting.agent)).toMatchObject({ interrupts: [{}], mayHaveRun: false });
  // The process ends while the tool runs: the run is taken over before.
  const handle = memory.for('agent', ALICE);
  const [{ runId = '' } = {}] = (await handle.listRuns()).items;
  const run = await handle.loadResumableRun(runId);
  await handle.begin({ ...run, runId, items: run?.items ?? [] });
  const second = setup(memory, []);
  const restored = await second.plugin.restore(second.agent);
  expect(restored).toMatchObject({ runId, interrupts: [{ id: interrupts[0]?.id }], mayHaveRun: true });
});

it('an agent continues its own interrupted run', async () => {
  const memory = openMemory();
  const { agent, done } = setup(memory, [{ tool: 'refund', input: {} }, 'Refunded.', 'Bye.']);
  const { interrupts = [] } = await agent.invoke('Refund.');
  await agent.invoke(response(interrupts[0]?.id ?? '', 'yes'));
  await agent.invoke('Thanks.');
  expect(done).toEqual(['yes']);
  expect((await memory.for('agent', ALICE).listRuns()).items.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
  ]);
  expect(await messagesOf(memory)).toHaveLength(6);
});

it('of two agents that continue a run, one does', async () => {
  const memory = openMemory();
  await setup(memory, [{ tool: 'refund', input: {} }]).agent.invoke('Refund.');
  const others = [0, 1].map(() => setup(memory, ['Refunded.']));
  const restored = await Promise.all(others.map(({ plugin, agent }) => plugin.restore(agent)));
  const id = restored[0]?.interrupts[0]?.id ?? '';
  const ended = await Promise.allSettled(others.map(({ agent }) => agent.invoke(response(id, 'yes'))));
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(ended.find((each) => each.status === 'rejected')?.reason).toMatchObject({ code: 'CONFLICT' });
  expect(others.flatMap(({ done }) => done)).toEqual(['yes']);
});

it('a failed run is continued after its last complete step', async () => {
  const memory = openMemory();
  const first = setup(memory, [{ tool: 'look_up', input: {} }, new TypeError('offline')]);
  await expect(first.agent.invoke('Look.')).rejects.toThrow('offline');
  expect((await memory.listRuns({ userId: 'alice' })).items).toMatchObject([
    { status: 'error', error: { message: expect.stringContaining('offline') } },
  ]);
  const second = setup(memory, ['Found.']);
  expect(await second.plugin.restore(second.agent)).toMatchObject({ interrupts: [] });
  await second.agent.invoke([]);
  expect(texts(second.model.inputs[0])).toEqual(['user: Look.', 'assistant: toolUse', 'user: toolResult']);
  expect(second.done).toEqual([]);
  expect(await messagesOf(memory)).toHaveLength(4);
});

it('an invocation that is cancelled is kept, and not in the history', async () => {
  const memory = openMemory();
  const stop = tool({
    name: 'stop',
    description: 'Stops.',
    inputSchema: z.object({}),
    callback: () => {
      agent.cancel();
      return 'Stopped.';
    },
  });
  const { agent } = setup(memory, [{ tool: 'stop', input: {} }, 'Hello.'], ALICE, { tools: [stop] });
  expect((await agent.invoke('Stop.')).stopReason).toBe('cancelled');
  expect((await memory.for('agent', ALICE).listRuns()).items).toMatchObject([{ status: 'cancelled' }]);
  await agent.invoke('Hi.');
  expect(await messagesOf(memory)).toEqual(['user: Hi.', 'assistant: Hello.']);
});

it('an invocation that is not read to its end is kept by closing the memory', async () => {
  const memory = openMemory();
  const { agent } = setup(memory, ['Streamed.']);
  const stream = agent.stream('Stream.');
  let next = await stream.next();
  while (!next.done && next.value.type !== 'afterModelCallEvent') next = await stream.next();
  await memory.close();
  expect((await memory.listRuns({ userId: 'alice' })).items).toMatchObject([{ status: 'cancelled' }]);
});

it('an invocation that is going on while the memory closes is saved at its end, too', async () => {
  const memory = openMemory();
  const close = tool({
    name: 'close',
    description: 'Closes the memory.',
    inputSchema: z.object({}),
    callback: async () => {
      await memory.close();
      return 'Closed.';
    },
  });
  const { agent } = setup(memory, [{ tool: 'close', input: {} }, 'Done.'], ALICE, { tools: [close] });
  await agent.invoke('Close.');
  expect(await messagesOf(memory)).toEqual([
    'user: Close.',
    'assistant: toolUse',
    'user: toolResult',
    'assistant: Done.',
  ]);
});

it('an invocation rejects if it cannot be saved', async () => {
  const memory = openMemory();
  await memory.close();
  await expect(setup(memory, ['x']).agent.invoke('x')).rejects.toMatchObject({ code: 'CLOSED' });
});
