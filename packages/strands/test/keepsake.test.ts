import { IntervalTrigger, MemoryManager, type MemoryManagerOptions } from '@keepsake/core';
import { InMemoryStore, type InMemoryStoreOptions } from '@keepsake/in-memory';
import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import {
  AfterInvocationEvent,
  Agent,
  type AgentConfig,
  BeforeInvocationEvent,
  ImageBlock,
  MaxTokensError,
  Message,
  type MessageData,
  TextBlock,
  tool,
} from '@strands-agents/sdk';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { keepsake } from '../src/index.ts';

/** Also courtesies and questions, which the default leaves out. */
const filter = { exclude: ['toolUse', 'toolResult'] };
/** Nothing is learned in the background of a test. */
const trigger = new IntervalTrigger({ turns: 5 });

interface Setup {
  readonly store?: Partial<InMemoryStoreOptions>;
  readonly memory?: Partial<MemoryManagerOptions>;
  readonly agent?: Partial<AgentConfig>;
}

/** An agent with memory in one store that extracts from every conversation on request. */
function setup({ store: storeOptions, memory: options, agent: config }: Setup, ...replies: Reply[]) {
  const store = new InMemoryStore({ name: 'facts', extraction: { filter, trigger }, ...storeOptions });
  const memory = new MemoryManager({ stores: [store], ...options });
  const model = new ScriptedModel(...replies);
  const agent = new Agent({
    model,
    plugins: [keepsake(memory, { conversationId: 'chat' })],
    printer: false,
    retryStrategy: null,
    ...config,
  });
  return { store, memory, model, agent };
}

const AISLE = expect.stringMatching(
  /^\n\n<memory>\n<entry source="facts" date="[\d-]{10}">Alice prefers aisle seats\.<\/entry>\n<\/memory>$/,
);
const knowsAisle = (store: InMemoryStore) => store.add('Alice prefers aisle seats.');

const textsOf = ({ content }: MessageData) => content.flatMap((block) => ('text' in block ? [block.text] : []));

/** The stored messages, as pairs of role and text. */
async function utterances(store: InMemoryStore) {
  const { items } = await store.list({ order: 'oldest' });
  return items.flatMap(({ content, turn }) => (turn === undefined ? [] : [[turn.speaker, content]]));
}

const clock = tool({ name: 'clock', description: 'The time.', inputSchema: z.object({}), callback: () => 'Noon.' });

describe('recall', () => {
  it('appends memories to the user message, and keeps them there during tool calls', async () => {
    const { agent, store, model } = setup({ agent: { tools: [clock] } }, { tool: 'clock', input: {} }, 'Aisle.');
    await knowsAisle(store);
    await agent.invoke('Which seats does Alice prefer?');
    expect(model.inputs.map((messages) => textsOf(messages[0] as MessageData))).toEqual([
      ['Which seats does Alice prefer?', AISLE],
      ['Which seats does Alice prefer?', AISLE],
    ]);
    expect(JSON.stringify(model.inputs[1]?.slice(1))).not.toContain('<memory>');
  });

  it('adds nothing to the messages of the agent or to its snapshots', async () => {
    const { agent, store, model } = setup({}, 'Aisle.', 'Yes, aisle seats.');
    await knowsAisle(store);
    await agent.invoke('Which seats does Alice prefer?');
    await agent.invoke('Does she prefer aisle seats, really?');
    expect(agent.messages.map((message) => textsOf(message.toJSON()))).toEqual([
      ['Which seats does Alice prefer?'],
      ['Aisle.'],
      ['Does she prefer aisle seats, really?'],
      ['Yes, aisle seats.'],
    ]);
    expect(JSON.stringify(agent.takeSnapshot({ preset: 'session' }))).not.toContain('<memory>');
    // The second call begins like the first, so the provider's cache stays warm.
    expect(model.inputs[1]?.slice(0, 2)).toEqual([model.inputs[0]?.[0], agent.messages[1]?.toJSON()]);
  });

  it('leaves memories where they were if the next question is only an image', async () => {
    const { agent, store, model } = setup({}, 'Aisle.', 'A cat, on an aisle seat.');
    await knowsAisle(store);
    await agent.invoke('Which seats does Alice prefer?');
    await agent.invoke([new ImageBlock({ format: 'png', source: { bytes: new Uint8Array([1, 2]) } })]);
    expect(model.inputs[1]?.slice(0, 2)).toEqual([model.inputs[0]?.[0], agent.messages[1]?.toJSON()]);
    expect(textsOf(model.inputs[1]?.[2] as MessageData)).toEqual([]);
  });

  it('continues without memories if the search fails', async () => {
    const onStoreError = vi.fn();
    const { agent, store, model } = setup(
      { memory: { telemetry: { onStoreError, logger: silent } } },
      'I do not know.',
    );
    store.search = () => Promise.reject(new Error('down'));
    await agent.invoke('Which seats does Alice prefer?');
    expect(textsOf(model.inputs[0]?.[0] as MessageData)).toEqual(['Which seats does Alice prefer?']);
    expect(onStoreError).toHaveBeenCalledWith(expect.objectContaining({ storeName: 'facts', operation: 'search' }));
  });

  it('works together with other plugins that add to the input', async () => {
    const tea = new InMemoryStore({ name: 'tea' });
    await tea.add('Alice prefers green tea.');
    const other = new MemoryManager({ stores: [tea], searchToolConfig: false });
    const seats = new InMemoryStore({ name: 'seats' });
    await seats.add('Alice prefers aisle seats.');
    const model = new ScriptedModel('Noted.');
    const plugins = [keepsake(new MemoryManager({ stores: [seats] })), keepsake(other, { name: 'tea' })];
    await new Agent({ model, plugins, printer: false }).invoke('What does Alice prefer?');
    const texts = textsOf(model.inputs[0]?.[0] as MessageData);
    expect(texts).toHaveLength(3);
    expect(texts[1]).toContain('aisle seats');
    expect(texts[2]).toContain('green tea');
  });
});

describe('tools', () => {
  it('search and add, and report invalid input to the model', async () => {
    const { agent, store, model } = setup(
      { memory: { addToolConfig: true } },
      { tool: 'add_memory', input: { entries: ['Alice lives in Oslo.'] } },
      { tool: 'search_memory', input: { query: 'Oslo', maxSearchResults: 1 } },
      { tool: 'search_memory', input: { query: 'Oslo', stores: ['elsewhere'] } },
      'Oslo.',
    );
    await agent.invoke('I live in Oslo.');
    const results = model.inputs
      .at(-1)
      ?.flatMap(({ content }) => content.flatMap((block) => ('toolResult' in block ? [block.toolResult] : [])));
    expect(results).toMatchObject([
      { status: 'success', content: [{ json: { stored: 1 } }] },
      {
        status: 'success',
        content: [{ json: { entries: [{ content: 'Alice lives in Oslo.', storeName: 'facts' }] } }],
      },
      { status: 'error', content: [{ text: expect.stringContaining('"facts"') }] },
    ]);
    expect((await store.list()).items.map(({ content }) => content)).toEqual(['Alice lives in Oslo.']);
  });
});

describe('extraction', () => {
  it('remembers the messages in order, without tool calls and injected memories', async () => {
    const { agent, store, memory } = setup(
      { agent: { tools: [clock] } },
      { tool: 'clock', input: {} },
      'Noon.',
      'Bye.',
    );
    await knowsAisle(store);
    await agent.invoke('What time is it, and which seats?');
    await agent.invoke('Thank you, see you at the seats');
    await memory.flush();
    expect(await utterances(store)).toEqual([
      ['user', 'What time is it, and which seats?'],
      ['assistant', 'Noon.'],
      ['user', 'Thank you, see you at the seats'],
      ['assistant', 'Bye.'],
    ]);
    const { items } = await store.list({ order: 'oldest' });
    expect(items.at(-1)?.turn).toMatchObject({ thread: 'chat' });
  });

  it('uses the session id of the agent as the thread, unless `conversationId` is set', async () => {
    const store = new InMemoryStore({ name: 'facts', extraction: { filter } });
    const memory = new MemoryManager({ stores: [store] });
    const agent = new Agent({ model: new ScriptedModel('Hi.'), plugins: [keepsake(memory)], printer: false });
    await agent.invoke('Hello');
    await memory.flush();
    expect((await store.list()).items.map(({ turn }) => turn?.thread)).toEqual([agent.sessionId, agent.sessionId]);
  });

  it('does not count failed or cancelled turns', async () => {
    const turns: number[] = [];
    const trigger = countsInto(turns);
    const stop = new AbortController();
    const cancels = tool({
      name: 'cancels',
      description: 'Cancels.',
      inputSchema: z.object({}),
      callback: () => {
        stop.abort();
        return 'Cancelled.';
      },
    });
    const { agent } = setup(
      { store: { extraction: { filter, trigger } }, agent: { tools: [cancels] } },
      new Error('overloaded'),
      { tool: 'cancels', input: {} },
      'Fine.',
      'Good.',
    );
    await expect(agent.invoke('One')).rejects.toThrow('overloaded');
    expect((await agent.invoke('Two', { cancelSignal: stop.signal })).stopReason).toBe('cancelled');
    expect(turns).toEqual([]);
    await agent.invoke('Three');
    await agent.invoke('Four');
    expect(turns).toEqual([1, 2]);
  });

  it.each([
    ['fails', [new Error('overloaded')], (agent: Agent) => expect(agent.invoke(BEES)).rejects.toThrow('overloaded')],
    [
      'exceeds the token limit of the model',
      [new MaxTokensError('Too long.', new Message({ role: 'assistant', content: [new TextBlock('How')] }))],
      (agent: Agent) => expect(agent.invoke(BEES)).rejects.toThrow('Too long.'),
    ],
    [
      'is cancelled',
      ['How interesting.'],
      async (agent: Agent) => {
        for await (const { type } of agent.stream(BEES)) if (type === 'modelStreamUpdateEvent') agent.cancel();
        expect(JSON.stringify(agent.messages)).toContain('Cancelled by user');
      },
    ],
    [
      'is abandoned by the reader of its stream',
      ['How interesting.'],
      async (agent: Agent) => {
        for await (const { type } of agent.stream(BEES)) if (type === 'modelStreamUpdateEvent') break;
      },
    ],
  ])('remembers the question of a turn that %s, once if it is asked again', async (_, replies, ask) => {
    const turns: number[] = [];
    const { agent, store, memory } = setup(
      { store: { extraction: { filter, trigger: countsInto(turns) } } },
      ...replies,
      'How nice.',
      'Still nice.',
    );
    await ask(agent);
    await memory.flush();
    expect([turns, await utterances(store)]).toEqual([[], [['user', BEES]]]);
    await agent.invoke(BEES);
    await memory.flush();
    const answered = [
      ['user', BEES],
      ['assistant', 'How nice.'],
    ];
    expect([turns, await utterances(store)]).toEqual([[1], answered]);
    await agent.invoke(BEES);
    await memory.flush();
    expect(await utterances(store)).toEqual([...answered, ['user', BEES], ['assistant', 'Still nice.']]);
  });

  it('remembers nothing from a turn that is denied by a hook', async () => {
    const { agent, store, memory } = setup({});
    agent.addHook(BeforeInvocationEvent, (event) => {
      event.cancel = 'Not now.';
    });
    await agent.invoke(BEES);
    await memory.flush();
    expect(await utterances(store)).toEqual([]);
  });

  it('saves a run so far while its tools are running', async () => {
    const saved: unknown[] = [];
    const { agent, store, memory } = setup(
      { agent: { tools: [] } },
      { tool: 'save', input: {} },
      { tool: 'save', input: {} },
      'All saved.',
    );
    const save = tool({
      name: 'save',
      description: 'Saves.',
      inputSchema: z.object({}),
      callback: async () => {
        const { facts } = await memory.flush();
        saved.push([facts, await utterances(store)]);
        return 'Saved.';
      },
    });
    agent.toolRegistry.add(save);
    await agent.invoke(BEES);
    await memory.flush();
    // The first round of tool calls is saved as well, although the filter drops it.
    expect(saved).toEqual([
      [{ saved: 1, failed: 0 }, [['user', BEES]]],
      [{ saved: 0, failed: 0 }, [['user', BEES]]],
    ]);
    expect(await utterances(store)).toEqual([
      ['user', BEES],
      ['assistant', 'All saved.'],
    ]);
  });

  it('remembers all messages of an agent that resumes automatically', async () => {
    const { agent, store, memory } = setup({}, 'How nice.', 'And how many?');
    const goOn = agent.addHook(AfterInvocationEvent, (event) => {
      event.resume = 'Ask me more.';
      goOn();
    });
    await agent.invoke(BEES);
    await memory.flush();
    expect(await utterances(store)).toEqual([
      ['user', BEES],
      ['assistant', 'How nice.'],
      ['user', 'Ask me more.'],
      ['assistant', 'And how many?'],
    ]);
  });

  it('counts an interrupted turn once, when it is completed', async () => {
    const turns: number[] = [];
    const pays = tool({
      name: 'pays',
      description: 'Pays.',
      inputSchema: z.object({}),
      callback: (_, context) => String(context?.interrupt({ name: 'sure', reason: 'Sure?' })),
    });
    const { agent, store, memory } = setup(
      { store: { extraction: { filter, trigger: countsInto(turns) } }, agent: { tools: [pays] } },
      { tool: 'pays', input: {} },
      'Paid.',
    );
    const { stopReason, interrupts } = await agent.invoke('Pay');
    expect([stopReason, turns]).toEqual(['interrupt', []]);
    await agent.invoke([{ interruptResponse: { interruptId: interrupts?.[0]?.id ?? '', response: 'yes' } }]);
    expect(turns).toEqual([1]);
    await memory.flush();
    expect(await utterances(store)).toEqual([
      ['user', 'Pay'],
      ['assistant', 'Paid.'],
    ]);
  });

  it('remembers the question as redacted by a guardrail', async () => {
    const { agent, store, memory } = setup({}, { redacted: '[redacted]' });
    await agent.invoke('My card number is 4000 0000 0000 0002');
    await memory.flush();
    expect((await utterances(store))[0]).toEqual(['user', '[redacted]']);
    expect(JSON.stringify((await store.list()).items)).not.toContain('4000 0000');
  });

  it.each(['guardrailIntervened', 'contentFiltered'] as const)(
    'remembers nothing that was blocked (%s), and what is said before and after it',
    async (blocked) => {
      const turns: number[] = [];
      const { agent, store, memory } = setup(
        { store: { extraction: { filter, trigger: countsInto(turns) } }, agent: { tools: [clock] } },
        'How nice.',
        { blocked },
        { tool: 'clock', input: {} },
        { blocked },
        'And how many?',
      );
      await agent.invoke(BEES);
      expect((await agent.invoke('How do I poison them?')).stopReason).toBe(blocked);
      await agent.invoke('What time is it?');
      await agent.invoke('I have two hives.');
      expect(turns).toEqual([1, 2]);
      await memory.flush();
      expect(await utterances(store)).toEqual([
        ['user', BEES],
        ['assistant', 'How nice.'],
        ['user', 'What time is it?'],
        ['user', 'I have two hives.'],
        ['assistant', 'And how many?'],
      ]);
    },
  );

  it('remembers the same from a stream as from an invocation', async () => {
    const { agent, store, memory } = setup({}, 'Hi.');
    for await (const _ of agent.stream('Hello'));
    await memory.flush();
    expect(await utterances(store)).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Hi.'],
    ]);
  });
});

const BEES = 'I keep bees.';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A trigger that records the turns it is called for. */
function countsInto(turns: number[]) {
  return {
    name: 'counts',
    attach: ({ conversation }: { conversation: { onEndTurn(listener: (turn: number) => void): void } }) =>
      conversation.onEndTurn((turn) => void turns.push(turn)),
  };
}
