import { asSession, ConversationMemory, type ConversationMemoryOptions } from '@keepsake/conversations';
import { MemoryError, type RecordStore } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { Agent, type AgentInputItem, Runner, setTracingDisabled, tool } from '@openai/agents';
import {
  assistantMessage,
  functionCall,
  modelError,
  ScriptedModel,
  type ScriptedModelInput,
} from '@openai/agents/testing';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type Conversations, conversationRunner } from '../src/index.ts';

beforeAll(() => setTracingDisabled(true));

const ALICE = { sessionId: 'chat', userId: 'alice' };

function setup(steps: ScriptedModelInput[], options: Partial<ConversationMemoryOptions> = {}) {
  const done: string[] = [];
  const refund = tool({
    name: 'refund',
    description: 'Refunds an order.',
    parameters: z.object({ order: z.string() }),
    needsApproval: true,
    execute: ({ order }) => `Refunded ${order}, ${done.push(order)}.`,
  });
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks up an order.',
    parameters: z.object({}),
    execute: () => `Found, ${done.push('look_up')}.`,
  });
  const store = options.store ?? new InMemoryStore({ name: 'chats' });
  const memory = new ConversationMemory({ store, fullSessionMemory: true, ...options });
  const model = new ScriptedModel(steps);
  const agent = new Agent({ name: 'Support', instructions: 'Be brief.', model, tools: [refund, lookUp] });
  return { store, memory, model, agent, done, runner: conversationRunner({ memory }) };
}

const texts = (items: readonly object[]) =>
  items.map((item) => {
    const { role, type, content } = item as { role?: string; type?: string; content?: unknown };
    if (role === undefined) return type;
    const parts =
      typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join();
    return `${role}: ${parts}`;
  });

it('the next run of a session gets its history, and other sessions and users do not', async () => {
  const { agent, runner, model, memory } = setup([
    [assistantMessage('Hello Alice.')],
    [assistantMessage('You are Alice.')],
    [assistantMessage('I do not know.')],
  ]);
  await runner.run(agent, 'I am Alice.', ALICE);
  const { finalOutput, runId, saved } = await runner.run(agent, 'Who am I?', ALICE);
  expect(finalOutput).toBe('You are Alice.');
  expect(await saved).toMatchObject({ runId, stored: true, errors: [] });
  expect(texts(model.calls[1]?.request.input as object[])).toEqual([
    'user: I am Alice.',
    'assistant: Hello Alice.',
    'user: Who am I?',
  ]);
  await runner.run(agent, 'Who am I?', { sessionId: 'other', userId: 'bob' });
  expect(texts(model.calls[2]?.request.input as object[])).toEqual(['user: Who am I?']);
  await expect(runner.run(agent, 'Who am I?', { ...ALICE, userId: 'bob' })).rejects.toThrow('another user');
  const run = await memory.for('agent', ALICE).loadRun(runId);
  expect(run).toMatchObject({ status: 'completed', output: 'You are Alice.', usage: { requests: 1 } });
  expect(texts(run?.items ?? [])).toEqual(['user: Who am I?', 'assistant: You are Alice.']);
});

it('the settings of the memory apply: the last turns, tools left out, summary and profile in the instructions', async () => {
  const { agent, runner, model, memory } = setup(
    [
      [assistantMessage('One.')],
      [functionCall('look_up', {}, { callId: 'c1' })],
      [assistantMessage('Two.')],
      [assistantMessage('Three.')],
    ],
    {
      summaryMemory: { summariser: { summarise: async ({ said }) => `So far: ${said.at(-1)?.text}` } },
      userAnalysisMemory: { profiler: { analyse: async () => ({ name: 'Alice' }) } },
      load: { lastTurns: 1 },
    },
  );
  for (const text of ['First', 'Second', 'Third']) await runner.run(agent, text, ALICE);
  const { systemInstructions, input } = model.lastCall?.request ?? {};
  expect(systemInstructions).toMatch(
    /^Be brief\.\n\n<UserProfile>\n- name: Alice\n.*<SessionSummary>\nSo far: Two\.\n/s,
  );
  expect(texts(input as object[])).toEqual(['user: Second', 'assistant: Two.', 'user: Third']);
  const items = await memory.for('agent', ALICE).getMessages();
  expect(texts(items)).toContain('function_call');
  expect(JSON.stringify(items)).not.toMatch(/UserProfile|SessionSummary/);
});

it('a run that waits for approval is resumed by another runner, and runs the tool once', async () => {
  const first = setup([[functionCall('refund', { order: 'A-17' }, { callId: 'c1' })]]);
  const waiting = await first.runner.run(first.agent, 'Refund A-17.', ALICE);
  expect(waiting.interruptions).toHaveLength(1);
  const { memory } = first;
  expect(await memory.for('agent', ALICE).getMessages()).toEqual([]);
  const paused = { runId: waiting.runId, status: 'paused', pauseReason: 'Waits for the approval of refund.' };
  expect((await memory.listRuns({ userId: 'alice' })).items).toMatchObject([paused]);

  const second = setup([[assistantMessage('Refunded.')]], { store: first.store });
  expect(await second.runner.waiting(ALICE)).toEqual({
    runId: waiting.runId,
    approvals: [{ callId: 'c1', tool: 'refund', arguments: '{"order":"A-17"}', agent: 'Support' }],
  });
  expect(await second.runner.waiting({ sessionId: 'other', userId: 'bob' })).toBeUndefined();
  const wrong = second.runner.resume(second.agent, { ...ALICE, decisions: { c2: true } });
  await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  const still = await second.runner.resume(second.agent, ALICE);
  expect(still?.interruptions).toHaveLength(1);
  const resumed = await second.runner.resume(second.agent, { ...ALICE, decisions: { c1: true } });
  expect([resumed?.finalOutput, resumed?.runId, second.done]).toEqual(['Refunded.', waiting.runId, ['A-17']]);
  expect(texts(await second.memory.for('agent', ALICE).getMessages())).toEqual([
    'user: Refund A-17.',
    'function_call',
    'function_call_result',
    'assistant: Refunded.',
  ]);
  expect(await second.runner.resume(second.agent, { ...ALICE, decisions: true })).toBeUndefined();
  expect((await memory.listRuns({ userId: 'alice' })).items).toEqual([]);
});

it.each([
  [false, /not approved/],
  ['Only 5 EUR.', /Only 5 EUR\./],
])('a call that is rejected with %s is not run, and the model reads why', async (decision, reason) => {
  const { runner, agent, model, done } = setup([
    [functionCall('refund', { order: 'A-17' }, { callId: 'c1' })],
    [assistantMessage('Then not.')],
  ]);
  const { runId } = await runner.run(agent, 'Refund A-17.', ALICE);
  const result = await runner.resume(agent, { ...ALICE, runId, decisions: { c1: decision } });
  expect([result?.finalOutput, done]).toEqual(['Then not.', []]);
  expect(JSON.stringify(model.lastCall?.request.input)).toMatch(reason);
});

it('of two who resume a run, one does', async () => {
  const { runner, agent, store } = setup([[functionCall('refund', { order: 'A-17' }, { callId: 'c1' })]]);
  await runner.run(agent, 'Refund A-17.', ALICE);
  const others = [0, 1].map(() => setup([[assistantMessage('Refunded.')]], { store }));
  const ended = await Promise.allSettled(
    others.map((other) => other.runner.resume(other.agent, { ...ALICE, decisions: true })),
  );
  expect(others.flatMap(({ done }) => done)).toEqual(['A-17']);
  // The other one finds the run in progress, or loses the race for it.
  const lost = ended.filter((each) => each.status === 'rejected' || each.value === undefined);
  expect(lost).toHaveLength(1);
});

/** A store that calls `before` before each write. */
function watchedStore(before: () => Promise<void>): RecordStore {
  const wrap = (store: RecordStore): RecordStore =>
    new Proxy(store, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        if (property === 'within') return (...args: unknown[]) => wrap(value.apply(target, args));
        if (property !== 'put' && property !== 'putMany') return value.bind(target);
        return async (...args: unknown[]) => {
          await before();
          return value.apply(target, args);
        };
      },
    });
  return wrap(new InMemoryStore({ name: 'chats' }));
}

it.each([true, { c1: true }])(
  'an approved call whose result could not be saved does not run again with %o',
  async (decisions) => {
    let failures = 0;
    const ran: string[] = [];
    const store = watchedStore(async () => {
      if (ran.length > 0 && failures++ < 2) throw new MemoryError('BACKEND', 'The disk is full.');
    });
    const memory = new ConversationMemory({ store, fullSessionMemory: true, staleAfterMs: 0 });
    const refund = tool({
      name: 'refund',
      description: 'Refunds an order.',
      parameters: z.object({}),
      needsApproval: true,
      execute: () => `Refunded, ${ran.push('refund')}.`,
    });
    const model = new ScriptedModel([
      [functionCall('refund', {}, { callId: 'c1' })],
      [assistantMessage('It was refunded.')],
    ]);
    const agent = new Agent({ name: 'Support', model, tools: [refund] });
    const runner = conversationRunner({ memory, onError: () => {} });
    await runner.run(agent, 'Refund A-17.', ALICE);
    await expect(runner.resume(agent, { ...ALICE, decisions })).rejects.toThrow('The disk is full.');
    expect([ran, failures]).toEqual([['refund'], 2]);

    const waiting = await runner.waiting(ALICE);
    expect(waiting?.approvals).toMatchObject([{ callId: 'c1', tool: 'refund', mayHaveRun: true }]);
    await expect(runner.resume(agent, { ...ALICE, decisions })).rejects.toThrow(
      'The call "c1" of refund was approved before, and may have run.',
    );
    const undecided = await runner.resume(agent, ALICE);
    expect(undecided?.interruptions).toHaveLength(1);
    expect((await runner.waiting(ALICE))?.approvals).toMatchObject([{ callId: 'c1', mayHaveRun: true }]);
    const resumed = await runner.resume(agent, { ...ALICE, decisions: { c1: 'The refund was made.' } });
    expect([resumed?.finalOutput, ran]).toEqual(['It was refunded.', ['refund']]);
    expect(JSON.stringify(model.lastCall?.request.input)).toContain('The refund was made.');
  },
);

it('a run that failed is resumed after its last complete step', async () => {
  const { runner, agent, memory, model, done } = setup([
    [functionCall('look_up', {}, { callId: 'c1' })],
    modelError(new TypeError('offline')),
    [assistantMessage('Found.')],
  ]);
  await expect(runner.run(agent, 'Look.', ALICE)).rejects.toThrow('offline');
  expect((await memory.listRuns({ userId: 'alice' })).items).toMatchObject([
    { status: 'error', error: { message: expect.stringContaining('offline') } },
  ]);
  expect((await runner.resume(agent, ALICE))?.finalOutput).toBe('Found.');
  expect(done).toEqual(['look_up']);
  expect(texts(model.lastCall?.request.input as object[])).toEqual([
    'user: Look.',
    'function_call',
    'function_call_result',
  ]);
  expect(texts(await memory.for('agent', ALICE).getMessages())).toHaveLength(4);
});

it('a run that the caller aborts is cancelled', async () => {
  const { runner, agent, memory } = setup([[assistantMessage('x')]]);
  await expect(runner.run(agent, 'Stop.', { ...ALICE, signal: AbortSignal.abort() })).rejects.toThrow();
  expect((await memory.listRuns({ userId: 'alice' })).items).toMatchObject([{ status: 'cancelled' }]);
});

it('a streamed run is saved when it has ended', async () => {
  const { runner, agent, memory } = setup([[assistantMessage('Streamed.')]]);
  const stream = await runner.run(agent, 'Stream.', { ...ALICE, stream: true });
  expect((await memory.for('agent', ALICE).loadRun(stream.runId))?.status).toBe('running');
  let text = '';
  for await (const part of stream.toTextStream()) text += part;
  expect(await stream.saved).toMatchObject({ stored: true });
  expect(text).toBe('Streamed.');
  expect(texts(await memory.for('agent', ALICE).getMessages())).toEqual(['user: Stream.', 'assistant: Streamed.']);
});

it('a streamed run that nobody reads is kept by closing the memory', async () => {
  const { runner, agent, store, memory } = setup([[assistantMessage('Streamed.')]]);
  await runner.run(agent, 'Stream.', { ...ALICE, stream: true });
  await memory.close();
  const later = new ConversationMemory({ store, fullSessionMemory: true });
  expect(texts(await later.for('agent', ALICE).getMessages())).toEqual(['user: Stream.', 'assistant: Streamed.']);
});

it('a streamed run waits for approval, and is resumed as a stream', async () => {
  const { runner, agent, done } = setup([
    [functionCall('refund', { order: 'A-17' }, { callId: 'c1' })],
    [assistantMessage('Refunded.')],
  ]);
  const stream = await runner.run(agent, 'Refund A-17.', { ...ALICE, stream: true });
  await stream.saved;
  const resumed = await runner.resume(agent, { ...ALICE, decisions: true, stream: true });
  await resumed?.completed;
  await resumed?.saved;
  expect([resumed?.finalOutput, done]).toEqual(['Refunded.', ['A-17']]);
});

it.each(['fails', 'waits for approval', 'is cancelled'])(
  'resume and waiting wait until a stream that %s is saved',
  async (ending) => {
    const writes = { isOpen: true, opened: Promise.withResolvers<void>() };
    const store = watchedStore(async () => {
      if (!writes.isOpen) await writes.opened.promise;
    });
    const first = {
      fails: modelError(new TypeError('offline')),
      'waits for approval': [functionCall('refund', { order: 'A-17' }, { callId: 'c1' })],
      'is cancelled': [assistantMessage('Never read.')],
    }[ending] as ScriptedModelInput;
    const { runner, agent } = setup([first, [assistantMessage('Done.')], [assistantMessage('Done.')]], { store });
    const stream = await runner.run(agent, 'Go.', { ...ALICE, stream: true });
    writes.isOpen = false;
    try {
      for await (const _ of stream) if (ending === 'is cancelled') break;
    } catch (error) {
      expect(String(error)).toContain('offline');
    }
    const isWaiting = ending === 'waits for approval';
    const found = isWaiting ? runner.waiting(ALICE) : runner.resume(agent, ALICE);
    // It would have found no run by now.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    writes.opened.resolve();
    expect(await found).toMatchObject(isWaiting ? { approvals: [{ callId: 'c1' }] } : { finalOutput: 'Done.' });
  },
);

it('a run rejects if it cannot be saved; a stream reports it', async () => {
  const errors: unknown[] = [];
  const { agent, memory } = setup([[assistantMessage('x')], [assistantMessage('y')]]);
  const broken: Conversations = {
    for<Item extends object>(...names: Parameters<Conversations['for']>) {
      const handle: ReturnType<typeof memory.for<Item>> = memory.for<Item>(...names);
      const begin = async (...run: Parameters<typeof handle.begin>) => {
        const { runId, taken } = await handle.begin(...run);
        return { runId, taken, save: () => Promise.reject(new Error('full')) };
      };
      return new Proxy(handle, {
        get(target, name) {
          const value: unknown = name === 'begin' ? begin : Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
  const runner = conversationRunner({ memory: broken, onError: (error) => errors.push(error) });
  await expect(runner.run(agent, 'x', ALICE)).rejects.toThrow('full');
  const stream = await runner.run(agent, 'y', { ...ALICE, stream: true });
  await expect(stream.saved).rejects.toThrow('full');
  expect(errors).toMatchObject([{ message: 'full' }]);
});

it('a team and an agent with the same session id have separate conversations', async () => {
  const { agent, memory, runner, model } = setup([[assistantMessage('One.')], [assistantMessage('Two.')]]);
  await runner.run(agent, 'To the agent.', ALICE);
  await conversationRunner({ memory, kind: 'team' }).run(agent, 'To the team.', ALICE);
  expect(texts(model.lastCall?.request.input as object[])).toEqual(['user: To the team.']);
});

it('a session over a conversation gives the SDK the last turns, and offers summary and profile for the instructions', async () => {
  const { agent, memory, model } = setup(
    ['One.', 'Two.', 'Three.'].map((text) => [assistantMessage(text)]),
    { load: { lastTurns: 1 }, summaryMemory: { summariser: { summarise: async () => 'They count.' } } },
  );
  const session = asSession(memory.for<AgentInputItem>('agent', ALICE));
  for (const text of ['1', '2', '3']) await new Runner().run(agent, text, { session });
  expect(texts(model.lastCall?.request.input as object[])).toEqual(['user: 2', 'assistant: Two.', 'user: 3']);
  expect((await session.getContext()).contextInjection).toContain('They count.');
});
