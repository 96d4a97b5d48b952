import { Agent, type AgentInputItem, type Model, RunState, run, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, modelError, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InMemorySession, InMemorySessionStore } from '../src/index.ts';

beforeAll(() => setTracingDisabled(true));

const asks = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content });
const plainAgent = (model: Model) => new Agent({ name: 'Shop', model });
const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: z.object({ order: z.string() }),
  needsApproval: true,
  execute: ({ order }) => `Refunded ${order}.`,
});

/** The history of a run in which a human was asked once. */
const refundHistory: AgentInputItem[] = [
  asks('Refund A1'),
  { type: 'function_call', name: 'refund', callId: 'c1', status: 'completed', arguments: '{"order":"A1"}' },
  {
    type: 'function_call_result',
    name: 'refund',
    callId: 'c1',
    status: 'completed',
    output: { type: 'text', text: 'Refunded A1.' },
  },
  assistantMessage('Done.'),
];

const refundAgent = () => {
  const model = new ScriptedModel([
    [functionCall('refund', { order: 'A1' }, { callId: 'c1' })],
    [assistantMessage('Done.')],
  ]);
  return new Agent({ name: 'Shop', model, tools: [refund] });
};

describe('InMemorySession under the runner of @openai/agents', () => {
  it('gives a run what earlier ones have stored', async () => {
    const model = new ScriptedModel([[assistantMessage('Hi')], [assistantMessage('Bye')]]);
    const session = new InMemorySession<AgentInputItem>({ initialItems: [asks('Before')] });
    await run(plainAgent(model), 'Hello', { session });
    await run(plainAgent(model), 'Goodbye', { session });
    expect(model.lastCall?.request.input).toEqual([
      asks('Before'),
      asks('Hello'),
      assistantMessage('Hi'),
      asks('Goodbye'),
    ]);
  });

  it.each([false, true])('goes on where a human was asked (state serialised: %s)', async (serialised) => {
    const agent = refundAgent();
    const session = new InMemorySession<AgentInputItem>();
    const asked = await run(agent, 'Refund A1', { session });
    expect(await session.getItems()).toEqual(refundHistory.slice(0, 2));
    const { state } = asked;
    const again = serialised ? await RunState.fromString<undefined, typeof agent>(agent, state.toString()) : state;
    for (const item of again.getInterruptions()) again.approve(item);
    const { finalOutput } = await run(agent, again, { session });
    expect(finalOutput).toBe('Done.');
    expect(await session.getItems()).toEqual(refundHistory);
  });

  it('holds the input, then the outputs of a streamed run', async () => {
    const agent = refundAgent();
    const session = new InMemorySession<AgentInputItem>();
    const asked = await run(agent, 'Refund A1', { session, stream: true });
    await asked.completed;
    for (const item of asked.interruptions) asked.state.approve(item);
    const resumed = await run(agent, asked.state, { session, stream: true });
    await resumed.completed;
    expect(await session.getItems()).toEqual(refundHistory);
  });

  it('holds the input of a streamed run that failed, once', async () => {
    const session = new InMemorySession<AgentInputItem>();
    const model = new ScriptedModel([modelError(new Error('overloaded'))]);
    const streamed = await run(plainAgent(model), 'Hello', { session, stream: true });
    await expect(streamed.completed).rejects.toThrow('overloaded');
    expect(await session.getItems()).toEqual([asks('Hello')]);
  });

  it('keeps the items of each run together when runs go on at once', async () => {
    const store = new InMemorySessionStore();
    const names = Array.from({ length: 12 }, (_, index) => `run ${index}`);
    const { promise: allAsked, resolve } = Promise.withResolvers<void>();
    let waiting = names.length;
    await Promise.all(
      names.map((name) => {
        const answer = modelResponder(async () => {
          if (--waiting === 0) resolve();
          await allAsked;
          return [assistantMessage(`Answer to ${name}`)];
        });
        return run(plainAgent(new ScriptedModel([answer])), name, { session: store.open('chat') });
      }),
    );
    const history = await store.open<AgentInputItem>('chat').getItems();
    const asked = history.flatMap((item) => ('role' in item && item.role === 'user' ? [item.content as string] : []));
    expect(asked.toSorted()).toEqual(names.toSorted());
    expect(history).toEqual(asked.flatMap((name) => [asks(name), assistantMessage(`Answer to ${name}`)]));
  });
});
