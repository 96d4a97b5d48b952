import {
  type ExtractionTriggerContext,
  IntervalTrigger,
  MemoryManager,
  type MemoryManagerOptions,
} from '@keepsake/core';
import { InMemorySession, InMemoryStore, type InMemoryStoreOptions } from '@keepsake/in-memory';
import {
  Agent,
  type AgentInputItem,
  type HandoffInputData,
  handoff,
  MaxTurnsExceededError,
  type NonStreamRunOptions,
  OpenAIResponsesCompactionSession,
  Runner,
  RunState,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import {
  assistantMessage,
  functionCall,
  modelError,
  modelStream,
  ScriptedModel,
  type ScriptedModelInput,
} from '@openai/agents/testing';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type MemoryRunnerOptions, memoryRunner, memoryTools, recentHistory } from '../src/index.ts';

/** Also courtesies and questions, which the default leaves out. */
const filter = { exclude: ['toolUse', 'toolResult'] };
/** Nothing is learned in the background of a test. */
const trigger = new IntervalTrigger({ turns: 5 });

beforeAll(() => setTracingDisabled(true));

interface Setup {
  readonly store?: Partial<InMemoryStoreOptions>;
  readonly memory?: Partial<MemoryManagerOptions>;
  readonly runner?: MemoryRunnerOptions;
}

/** An agent and a runner with memory in one store that extracts from every conversation on request. */
function setup({ store: storeOptions, memory: options, runner: config }: Setup, ...steps: ScriptedModelInput[]) {
  const store = new InMemoryStore({ name: 'facts', extraction: { filter, trigger }, ...storeOptions });
  const memory = new MemoryManager({ stores: [store], ...options });
  const model = new ScriptedModel(steps);
  const tools = [clock, refund, ...memoryTools(memory)];
  return {
    store,
    memory,
    model,
    agent: new Agent({ name: 'Guide', model, tools }),
    runner: memoryRunner(memory, config),
  };
}

const clock = tool({ name: 'clock', description: 'The time.', parameters: z.object({}), execute: () => 'Noon.' });
const refund = tool({
  name: 'refund',
  description: 'Refunds an order.',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'Refunded.',
});

const say = (text: string) => [assistantMessage(text)];
const call = (name: string, args: Record<string, unknown> = {}, callId = 'c1') => [
  functionCall(name, args, { callId }),
];
/** A message beside a call of the tool `save`. */
const called = (text: string, callId: string) => [assistantMessage(text), ...call('save', {}, callId)];
const BEES = 'I keep bees.';
const user = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content });
const AISLE = expect.stringMatching(
  /^<memory>\n<entry source="facts" date="[\d-]{10}">Alice prefers aisle seats\.<\/entry>\n<\/memory>$/,
);
const inputs = (model: ScriptedModel) => model.calls.map(({ request }) => request.input as AgentInputItem[]);

/** The stored messages, as pairs of role and text. */
async function utterances(store: InMemoryStore) {
  const { items } = await store.list({ order: 'oldest' });
  return items.flatMap(({ content, turn }) => (turn === undefined ? [] : [[turn.speaker, content]]));
}

/** The ways to run an agent. */
const WAYS = [
  {
    way: 'a run',
    run: (runner: Runner, agent: Agent, input: string | AgentInputItem[], options?: NonStreamRunOptions) =>
      runner.run(agent, input, options),
  },
  {
    way: 'a streamed run',
    async run(runner: Runner, agent: Agent, input: string | AgentInputItem[], options?: NonStreamRunOptions) {
      const result = await runner.run(agent, input, { ...options, stream: true });
      await result.completed;
      return result;
    },
  },
];

describe.each(WAYS)('memory in $way', ({ run }) => {
  it('comes after the user message, and stays there during tool calls', async () => {
    const { runner, agent, model, store } = setup({}, call('clock'), say('Aisle.'));
    await store.add('Alice prefers aisle seats.');
    const result = await run(runner, agent, 'Which seats does Alice prefer?');
    expect(inputs(model)).toMatchObject([
      [user('Which seats does Alice prefer?'), user(AISLE)],
      [
        user('Which seats does Alice prefer?'),
        user(AISLE),
        { type: 'function_call' },
        { type: 'function_call_result' },
      ],
    ]);
    expect(JSON.stringify([result.history, result.state])).not.toContain('<memory>');
  });

  it('never enters the session', async () => {
    const { runner, agent, model, store } = setup({}, call('clock'), say('Aisle.'), say('Yes.'));
    await store.add('Alice prefers aisle seats.');
    const session = new InMemorySession<AgentInputItem>();
    await run(runner, agent, 'Which seats does Alice prefer?', { session });
    await run(runner, agent, 'Does she prefer aisle seats, really?', { session });
    const items = await session.getItems();
    expect(items.map((item) => ('role' in item ? item.role : item.type))).toEqual([
      'user',
      'function_call',
      'function_call_result',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(JSON.stringify(items)).not.toContain('<memory>');
    // The memory stays where it was and isn't repeated, so the provider's cache stays warm.
    expect(inputs(model)[2]).toMatchObject([items[0], user(AISLE), ...items.slice(1, 5)]);
  });

  it('stays where it was if the next question is only an image', async () => {
    const { runner, agent, model, store, memory } = setup({}, say('Aisle.'), say('A cat, on an aisle seat.'));
    await store.add('Alice prefers aisle seats.');
    const { history } = await run(runner, agent, 'Which seats does Alice prefer?');
    const image: AgentInputItem = {
      role: 'user',
      content: [{ type: 'input_image', image: 'data:image/png;base64,AA==' }],
    };
    await run(runner, agent, [...history, image]);
    expect(inputs(model)[1]).toEqual([history[0], user(AISLE), history[1], image]);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([
      'Which seats does Alice prefer?',
      'Aisle.',
      'A cat, on an aisle seat.',
    ]);
  });

  it('is left out if the search fails', async () => {
    const onStoreError = vi.fn();
    const { runner, agent, model, store } = setup(
      { memory: { telemetry: { onStoreError, logger: silent } } },
      say('I do not know.'),
    );
    store.search = () => Promise.reject(new Error('down'));
    await run(runner, agent, 'Which seats does Alice prefer?');
    expect(inputs(model)).toEqual([[user('Which seats does Alice prefer?')]]);
    expect(onStoreError).toHaveBeenCalledWith(expect.objectContaining({ storeName: 'facts', operation: 'search' }));
  });

  it('is added to the instructions if a server stores the input', async () => {
    const { runner, agent, model, store } = setup({}, call('clock'), say('Aisle.'));
    agent.instructions = 'Be brief.';
    await store.add('Alice prefers aisle seats.');
    await run(runner, agent, 'Which seats does Alice prefer?', { conversationId: 'conv_1' });
    expect(inputs(model)).toMatchObject([[user('Which seats does Alice prefer?')], [{ type: 'function_call_result' }]]);
    for (const { request } of model.calls) {
      expect(request.systemInstructions).toMatch(/^Be brief\.\n\n<memory>\n.*aisle seats.*\n<\/memory>$/);
    }
  });

  it("uses the input after the caller's filter", async () => {
    const callModelInputFilter = ({ modelData }: { modelData: { input: AgentInputItem[] } }) => ({
      input: modelData.input.slice(-1),
      instructions: 'Filtered.',
    });
    const { runner, agent, model, store } = setup({ runner: { callModelInputFilter } }, say('Aisle.'));
    await store.add('Alice prefers aisle seats.');
    await run(runner, agent, [user('Hello'), assistantMessage('Hi'), user('Which seats does Alice prefer?')]);
    expect(inputs(model)).toMatchObject([[user('Which seats does Alice prefer?'), user(AISLE)]]);
    expect(model.lastCall?.request.systemInstructions).toBe('Filtered.');
  });

  it('has tools that search and add, and report invalid input to the model', async () => {
    const { runner, agent, model, store } = setup(
      { memory: { addToolConfig: true } },
      call('add_memory', { entries: ['Alice lives in Oslo.'] }, 'c1'),
      call('search_memory', { query: 'Oslo', maxSearchResults: 1 }, 'c2'),
      call('search_memory', { query: 'Oslo', stores: ['elsewhere'] }, 'c3'),
      say('Oslo.'),
    );
    await run(runner, agent, 'I live in Oslo.');
    const outputs = inputs(model)
      .at(-1)
      ?.flatMap((item) => (item.type === 'function_call_result' ? [item.output] : []));
    expect(outputs).toMatchObject([
      { text: '{"stored":1}' },
      { text: expect.stringContaining('"content":"Alice lives in Oslo."') },
      { text: expect.stringContaining('"facts"') },
    ]);
    expect((await store.list()).items.map(({ content }) => content)).toEqual(['Alice lives in Oslo.']);
  });

  it.each([false, true])('observes each message once and in order (session: %s)', async (withSession) => {
    const { runner, agent, store, memory } = setup({}, call('clock'), say('Noon, it is.'), say('Bye.'));
    await store.add('Alice prefers aisle seats.');
    if (withSession) {
      const session = new InMemorySession<AgentInputItem>({ sessionId: 'chat' });
      await run(runner, agent, 'What time is it, and which seats?', { session });
      await run(runner, agent, [user('See you at the seats')], { session });
    } else {
      const { history } = await run(runner, agent, 'What time is it, and which seats?');
      await run(runner, agent, [...history, user('See you at the seats')]);
    }
    await memory.flush();
    expect(await utterances(store)).toEqual([
      ['user', 'What time is it, and which seats?'],
      ['assistant', 'Noon, it is.'],
      ['user', 'See you at the seats'],
      ['assistant', 'Bye.'],
    ]);
    const threads = new Set((await store.list()).items.flatMap(({ turn }) => (turn ? [turn.thread] : [])));
    expect([...threads]).toEqual([withSession ? 'chat' : expect.any(String)]);
  });

  it('counts turns, but not failed ones', async () => {
    const turns: number[] = [];
    const { runner, agent, store, memory } = setup(
      { store: { extraction: { filter, trigger: countsInto(turns) } } },
      modelError(new Error('overloaded')),
      call('clock'),
      say('Noon.'),
      say('Bye.'),
    );
    await expect(run(runner, agent, 'One')).rejects.toThrow('overloaded');
    expect(turns).toEqual([]);
    await run(runner, agent, 'Two');
    expect(turns).toEqual([1]);
    await run(runner, agent, 'Three');
    expect(turns).toEqual([1, 2]);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual(['One', 'Two', 'Noon.', 'Three', 'Bye.']);
  });

  it.each([false, true])(
    'remembers the question of a run that fails, once if it is repeated (session: %s)',
    async (withSession) => {
      const { runner, agent, store, memory } = setup(
        {},
        modelError(new Error('overloaded')),
        say('How nice.'),
        say('Still nice.'),
      );
      const options = withSession ? { session: new InMemorySession<AgentInputItem>() } : {};
      await expect(run(runner, agent, BEES, options)).rejects.toThrow('overloaded');
      await memory.flush();
      expect(await utterances(store)).toEqual([['user', BEES]]);
      await run(runner, agent, BEES, options);
      await run(runner, agent, BEES, options);
      await memory.flush();
      expect(await utterances(store)).toEqual([
        ['user', BEES],
        ['assistant', 'How nice.'],
        ['user', BEES],
        ['assistant', 'Still nice.'],
      ]);
    },
  );

  it('remembers only the new part of a question that follows a failed one', async () => {
    const { runner, agent, store, memory } = setup({}, modelError(new Error('overloaded')), say('How nice.'));
    await expect(run(runner, agent, BEES)).rejects.toThrow('overloaded');
    await run(runner, agent, [user(BEES), user('And a cat.')]);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([BEES, 'And a cat.', 'How nice.']);
  });

  it('remembers nothing that an input guardrail has refused, until it accepts it', async () => {
    const { runner, model, store, memory } = setup({}, say('How nice.'), say('How nice.'));
    let tripwireTriggered = true;
    const guards = { name: 'Guards', execute: async () => ({ tripwireTriggered, outputInfo: undefined }) };
    const agent = new Agent({ name: 'Guide', model, inputGuardrails: [guards] });
    await expect(run(runner, agent, BEES)).rejects.toThrow('guardrail');
    await memory.flush();
    expect(await utterances(store)).toEqual([]);
    tripwireTriggered = false;
    await run(runner, agent, BEES);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([BEES, 'How nice.']);
  });

  it.each([
    ['', {}],
    [' with a session', { session: new InMemorySession<AgentInputItem>() }],
  ])('saves a run so far while its tools are running%s', async (_, options) => {
    const { runner, model, store, memory } = setup({}, called('One.', 'c1'), called('Two.', 'c2'), say('Done.'));
    const saved: unknown[] = [];
    const save = tool({
      name: 'save',
      description: 'Saves.',
      parameters: z.object({}),
      execute: async () => {
        await memory.flush();
        saved.push((await utterances(store)).map(([, content]) => content));
        return 'Saved.';
      },
    });
    await run(runner, new Agent({ name: 'Guide', model, tools: [save] }), BEES, options);
    expect(saved).toEqual([[BEES], [BEES, 'One.']]);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([BEES, 'One.', 'Two.', 'Done.']);
    const { items } = await store.list({ order: 'oldest' });
    const numbers = items.map(({ turn }) => turn?.index as number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it('observes each message once if a server stores the conversation', async () => {
    const { runner, agent, store, memory } = setup({}, [assistantMessage('A moment.'), ...call('clock')], say('Noon.'));
    await run(runner, agent, BEES, { conversationId: 'conv_1' });
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([BEES, 'A moment.', 'Noon.']);
  });

  it('observes each message once if a handoff rewrites the history', async () => {
    const { runner, model, store, memory } = setup(
      {},
      [assistantMessage('A moment.'), ...call('clock')],
      [assistantMessage('The clerk knows.'), ...call('transfer_to_Clerk', {}, 'c2')],
      [assistantMessage('Let me see.'), ...call('clock', {}, 'c3')],
      say('Noon.'),
    );
    const clerk = new Agent({ name: 'Clerk', model, tools: [clock] });
    const inputFilter = (data: HandoffInputData) => ({
      ...data,
      inputHistory: 'What time is it?',
      preHandoffItems: [],
    });
    const agent = new Agent({ name: 'Guide', model, tools: [clock], handoffs: [handoff(clerk, { inputFilter })] });
    await run(runner, agent, [user('Hello'), assistantMessage('Hi'), user(BEES)]);
    await memory.flush();
    const said = (await utterances(store)).map(([, content]) => content);
    expect(said.toSorted()).toEqual([BEES, 'A moment.', 'The clerk knows.', 'Let me see.', 'Noon.'].toSorted());
    expect([said[0], said.at(-1)]).toEqual([BEES, 'Noon.']);
  });

  it('answers even if the outbox fails', async () => {
    const onStoreError = vi.fn();
    const outbox = new InMemoryStore({ name: 'outbox' });
    outbox.within = () => outbox;
    outbox.putMany = () => Promise.reject(new Error('full'));
    const { runner, agent } = setup({ memory: { outbox, telemetry: { onStoreError, logger: silent } } }, say('Hi.'));
    expect((await run(runner, agent, 'Hello')).finalOutput).toBe('Hi.');
    await expect.poll(() => onStoreError.mock.calls).toContainEqual([expect.objectContaining({ storeName: 'outbox' })]);
  });

  it('is available to agents after a handoff', async () => {
    const { runner, model, store, memory } = setup({}, call('transfer_to_Clerk'), say('Aisle.'));
    await store.add('Alice prefers aisle seats.');
    const clerk = new Agent({ name: 'Clerk', model });
    const agent = new Agent({ name: 'Guide', model, handoffs: [handoff(clerk)] });
    await run(runner, agent, 'Which seats does Alice prefer?');
    expect(inputs(model)[1]?.slice(0, 2)).toMatchObject([user('Which seats does Alice prefer?'), user(AISLE)]);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([
      'Which seats does Alice prefer?',
      'Aisle.',
    ]);
  });
});

describe.each(WAYS)('a failure in $way leaves no injected memory behind', ({ run }) => {
  it('in the session, if a guardrail refuses the answer', async () => {
    const { runner, model, store } = setup({}, call('clock'), say('Aisle.'), say('Yes.'));
    await store.add('Alice prefers aisle seats.');
    const refuses = {
      name: 'Refuses',
      execute: async () => ({ tripwireTriggered: true, outputInfo: undefined }),
    };
    const agent = new Agent({ name: 'Guide', model, tools: [clock], outputGuardrails: [refuses] });
    const session = new InMemorySession<AgentInputItem>();
    await expect(run(runner, agent, 'Which seats does Alice prefer?', { session })).rejects.toThrow('guardrail');
    expect(inputs(model)[1]).toContainEqual(user(AISLE));
    expect(await session.getItems()).not.toEqual([]);
    expect(JSON.stringify(await session.getItems())).not.toContain('<memory>');
  });

  it('in the state of a run that exceeded its turns', async () => {
    const { runner, agent, model, store } = setup({}, call('clock'), say('Aisle.'));
    await store.add('Alice prefers aisle seats.');
    const error: unknown = await run(runner, agent, 'Which seats does Alice prefer?', { maxTurns: 1 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(inputs(model)[0]).toContainEqual(user(AISLE));
    expect(error).toBeInstanceOf(MaxTurnsExceededError);
    expect(JSON.stringify((error as MaxTurnsExceededError).state)).not.toContain('<memory>');
  });
});

describe('a run that waits for an approval', () => {
  it.each([
    ['in the same process', false, false],
    ['from its serialised state', true, false],
    ['and is streamed', false, true],
  ])('is one turn when it is resumed %s', async (_, serialised, stream) => {
    const turns: number[] = [];
    const { runner, agent, store, memory } = setup(
      { store: { extraction: { filter, trigger: countsInto(turns) } } },
      call('refund'),
      say('Done.'),
    );
    await store.add('Alice wants a refund.');
    const session = new InMemorySession<AgentInputItem>({ sessionId: 'chat' });
    const { state } = await runner.run(agent, 'Refund Alice', { session });
    expect(turns).toEqual([]);
    expect(JSON.stringify(state)).not.toContain('<memory>');
    const again = serialised ? await RunState.fromString<undefined, typeof agent>(agent, state.toString()) : state;
    for (const item of again.getInterruptions()) again.approve(item);
    if (stream) await (await runner.run(agent, again, { session, stream })).completed;
    else await runner.run(agent, again, { session });
    expect(turns).toEqual([1]);
    await memory.flush();
    expect(await utterances(store)).toEqual([
      ['user', 'Refund Alice'],
      ['assistant', 'Done.'],
    ]);
    expect(JSON.stringify(await session.getItems())).not.toContain('<memory>');
    expect(await session.getItems()).toHaveLength(4);
  });
});

it('cancelled streams do not count as turns', async () => {
  const turns: number[] = [];
  const hangs = modelStream(
    (async function* () {
      yield { type: 'response_started' as const };
      yield { type: 'output_text_delta' as const, delta: 'A long answer' };
      await new Promise(() => {});
    })(),
  );
  const { runner, agent, store, memory } = setup(
    { store: { extraction: { filter, trigger: countsInto(turns) } } },
    hangs,
    say('Hi.'),
  );
  const stop = new AbortController();
  const cancelled = await runner.run(agent, 'Tell me', { stream: true, signal: stop.signal });
  for await (const { type } of cancelled) if (type === 'raw_model_stream_event') stop.abort();
  await runner.run(agent, 'Hello');
  expect(turns).toEqual([1]);
  await memory.flush();
  expect((await utterances(store)).map(([, content]) => content)).toEqual(['Tell me', 'Hello', 'Hi.']);
});

it('each session has one thread, and all runs without a session share one', async () => {
  const { runner, agent, store, memory } = setup({}, say('1'), say('2'), say('3'), say('4'));
  await runner.run(agent, 'One', { session: new InMemorySession({ sessionId: 'a' }) });
  await runner.run(agent, 'Two', { session: new InMemorySession({ sessionId: 'b' }) });
  await runner.run(agent, 'Three');
  await runner.run(agent, 'Four');
  await memory.flush();
  const { items } = await store.list({ order: 'oldest' });
  const threadOf = (text: string) => items.find(({ content }) => content === text)?.turn?.thread;
  expect([threadOf('One'), threadOf('Two')]).toEqual(['a', 'b']);
  expect(threadOf('Three')).toBe(threadOf('Four'));
  expect(['a', 'b']).not.toContain(threadOf('Three'));
});

describe.each(WAYS)('the compaction session of the SDK, in $way', ({ run }) => {
  it('compacts after a run that was resumed after an approval, as without memory', async () => {
    const { agent, runner, store } = setup({}, call('refund'), say('Done.'), call('refund'), say('Done.'));
    await store.add('Alice wants each refund by transfer.');
    const resumed = async (by: Runner) => {
      const { session, compactions } = compactionSession();
      const { state } = await run(by, agent, 'Refund it.', { session });
      for (const item of state.getInterruptions()) state.approve(item);
      await by.run(agent, state, { session });
      expect(JSON.stringify(await session.getItems())).not.toContain('transfer');
      return compactions;
    };
    const plain = await resumed(new Runner());
    expect(plain).toHaveLength(1);
    expect(await resumed(runner)).toEqual(plain);
  });

  it('gets no texts that are injected, and what a user says that was injected before', async () => {
    const { agent, runner, store, model } = setup({}, say('One.'), say('Two.'));
    await store.add('Alice prefers aisle seats.');
    const { session } = compactionSession(Infinity);
    await run(runner, agent, 'What does Alice prefer?', { session });
    const injected = (inputs(model)[0]?.at(-1) as { content: string } | undefined)?.content ?? '';
    expect(injected).toEqual(AISLE);
    expect(JSON.stringify(await session.getItems())).not.toContain('aisle');
    await run(runner, agent, injected, { session });
    expect(await session.getItems()).toContainEqual(expect.objectContaining({ role: 'user', content: injected }));
  });
});

/** A session that compacts once it has a number of items of the model and tools, by a service that returns the user's messages. */
function compactionSession(after = 3) {
  const compactions: { readonly input: object[] }[] = [];
  const compact = async (body: { readonly input: object[] }) => {
    compactions.push(body);
    const output = body.input.filter((item) => 'role' in item && item.role === 'user');
    return { output, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } };
  };
  const client = { responses: { compact } } as never;
  const session = new OpenAIResponsesCompactionSession({
    client,
    compactionMode: 'input',
    shouldTriggerCompaction: ({ compactionCandidateItems }) => compactionCandidateItems.length >= after,
  });
  return { session, compactions };
}

it('the input of the model can be limited to recent items, while the session keeps everything', async () => {
  const { runner, agent, model, store } = setup(
    { runner: { sessionInputCallback: recentHistory({ maxTurns: 1 }) } },
    say('Aisle.'),
  );
  await store.add('Alice prefers aisle seats.');
  const initialItems = [user('One'), assistantMessage('1'), user('Two'), assistantMessage('2')];
  const session = new InMemorySession<AgentInputItem>({ initialItems });
  await runner.run(agent, 'Which seats does Alice prefer?', { session });
  expect(inputs(model)).toMatchObject([
    [user('Two'), assistantMessage('2'), user('Which seats does Alice prefer?'), user(AISLE)],
  ]);
  expect(await session.getItems()).toMatchObject([
    ...initialItems,
    user('Which seats does Alice prefer?'),
    { role: 'assistant' },
  ]);
});

it('the calls that the input answers stay in the recent items', async () => {
  const call = (callId: string) => ({ type: 'function_call', callId, name: 'f', arguments: '{}' }) as const;
  const result: AgentInputItem = {
    ...{ type: 'function_call_result', callId: 'c1', name: 'f', status: 'completed', output: 'x' },
  };
  const history = [user('One'), user('Two'), call('c0'), call('c1')];
  const answer = [result, user('Go on.')];
  expect(await recentHistory({ maxTurns: 1 })(history, answer)).toEqual([user('Two'), call('c1'), ...answer]);
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A trigger that records the turns it is called for. */
function countsInto(turns: number[]) {
  const attach = ({ conversation }: ExtractionTriggerContext) =>
    conversation.onEndTurn((turn) => void turns.push(turn));
  return { name: 'counts', attach };
}
