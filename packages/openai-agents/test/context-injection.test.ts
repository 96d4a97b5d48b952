import { MemoryManager } from '@keepsake/core';
import { InMemorySession, InMemoryStore } from '@keepsake/in-memory';
import { Agent, type AgentInputItem, handoff, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel, type ScriptedModelInput } from '@openai/agents/testing';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type ContextInjection, memoryRunner } from '../src/index.ts';

beforeAll(() => setTracingDisabled(true));

interface Clock {
  hour: number;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const advance = tool({
  name: 'advance',
  description: 'Advances the clock.',
  parameters: z.object({}),
  execute: (_, context) => {
    (context?.context as Clock).hour++;
    return 'Advanced.';
  },
});
const call = (name: string, callId = 'c1') => [functionCall(name, {}, { callId })];
const say = (text: string) => [assistantMessage(text)];
const user = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content });

async function setup(injection: Partial<ContextInjection>, ...steps: ScriptedModelInput[]) {
  const render = vi.fn<ContextInjection['render']>(({ context }) => `<hour>${(context as Clock).hour}</hour>`);
  const store = new InMemoryStore({ name: 'facts', extraction: true });
  await store.add('Alice gets up at seven.');
  const memory = new MemoryManager({ stores: [store] });
  const runner = memoryRunner(memory, { injections: [{ render, logger: silent, ...injection }] });
  const model = new ScriptedModel(steps);
  const agent = new Agent<Clock>({ name: 'Guide', model, tools: [advance] });
  const inputs = () => model.calls.map(({ request }) => request.input as AgentInputItem[]);
  return { render, store, memory, runner, model, agent, inputs };
}

describe.each([false, true])('injections of a runner (streamed: %s)', (stream) => {
  it('come after memory, stay during tool calls and enter neither sessions, results nor memory', async () => {
    const { render, store, memory, runner, agent, inputs } = await setup({}, call('advance'), say('Late.'));
    const session = new InMemorySession<AgentInputItem>();
    const options = { session, context: { hour: 8 } };
    const result = stream
      ? await runner.run(agent, 'When does Alice get up?', { ...options, stream: true })
      : await runner.run(agent, 'When does Alice get up?', options);
    if ('completed' in result) await result.completed;
    const added = [user(expect.stringContaining('at seven') as unknown as string), user('<hour>8</hour>')];
    expect(inputs()[0]).toEqual([user('When does Alice get up?'), ...added]);
    expect(inputs()[1]?.slice(0, 3)).toEqual(inputs()[0]);
    expect(render).toHaveBeenCalledTimes(1);
    expect(render.mock.lastCall?.[0]).toMatchObject({ agent, messages: [{ role: 'user' }] });
    await memory.flush();
    const { items } = await store.list();
    expect(JSON.stringify([await session.getItems(), result.history, result.state, items])).not.toContain('<hour>');
  });
});

describe('an injection', () => {
  it('gets the agent of each call, also after a handoff', async () => {
    const { runner, model, inputs } = await setup(
      { trigger: 'everyTurn', render: ({ agent }) => `You are ${agent.name}.` },
      call('transfer_to_Clerk'),
      say('Late.'),
    );
    const clerk = new Agent({ name: 'Clerk', model });
    await runner.run(new Agent({ name: 'Guide', model, handoffs: [handoff(clerk)] }), 'Hi');
    expect(inputs().map(([, item]) => item)).toEqual([user('You are Guide.'), user('You are Clerk.')]);
  });

  it('is added to the instructions if a server stores the input', async () => {
    const { runner, agent, model } = await setup({}, say('Late.'));
    agent.instructions = 'Be brief.';
    await runner.run(agent, 'Hi', { conversationId: 'conv_1', context: { hour: 8 } });
    expect(model.lastCall?.request.systemInstructions).toBe('Be brief.\n\n<hour>8</hour>');
  });

  it('asks its trigger, with the context of the run', async () => {
    const trigger = vi.fn<Extract<ContextInjection['trigger'], (...args: never[]) => unknown>>(() => false);
    const { runner, agent, inputs } = await setup({ trigger }, say('Late.'));
    await runner.run(agent, 'Hi', { context: { hour: 8 } });
    expect(inputs()).toEqual([[user('Hi')]]);
    expect(trigger.mock.lastCall?.[0].context).toEqual({ hour: 8 });
  });

  it('lets the run go on if it fails', async () => {
    const { runner, agent, inputs } = await setup({ render: () => Promise.reject(new Error('broken')) }, say('Late.'));
    await runner.run(agent, 'Hi', { context: { hour: 8 } });
    expect(inputs()).toEqual([[user('Hi')]]);
  });

  it('does not remove a message of the user with the same text from the session', async () => {
    const { runner, agent } = await setup({ render: () => 'Be brief.' }, say('Yes.'), say('No.'));
    const session = new InMemorySession<AgentInputItem>();
    await runner.run(agent, 'Hi', { session, context: { hour: 8 } });
    await runner.run(agent, 'Be brief.', { session, context: { hour: 8 } });
    expect((await session.getItems()).map((item) => ('role' in item ? item.role : ''))).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it.each<[object]>([
    [{}],
    [{ render: 'text' }],
    [{ render: String, trigger: 'never' }],
    [{ render: String, deadlineMs: 0 }],
  ])('with invalid fields is refused: %j', (injection) => {
    const memory = new MemoryManager({ stores: [new InMemoryStore({ name: 'facts' })] });
    expect(() => memoryRunner(memory, { injections: [injection] as never })).toThrow(/must be/);
  });
});
