import { setImmediate } from 'node:timers/promises';
import { IntervalTrigger, MemoryManager, type MemoryManagerOptions } from '@keepsake/core';
import { InMemoryStore, type InMemoryStoreOptions } from '@keepsake/in-memory';
import {
  generateText,
  isStepCount,
  type ModelMessage,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  tool,
  wrapLanguageModel,
} from 'ai';
import type { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { aiSdkModel, memoryMiddleware, memoryTools } from '../src/index.ts';
import { addOnlyStore } from './add-only-store.ts';
import { type Reply, scriptedModel } from './programs/scripted-model.ts';

/** Also courtesies and questions, which the default leaves out. */
const filter = { exclude: ['toolUse', 'toolResult'] };
/** Nothing is learned in the background of a test. */
const trigger = new IntervalTrigger({ turns: 5 });

interface Setup {
  readonly store?: Partial<InMemoryStoreOptions>;
  readonly memory?: Partial<MemoryManagerOptions>;
}

/** A model with memory in one store that extracts from every conversation on request. */
function setup({ store: storeOptions, memory: options }: Setup, ...replies: Reply[]) {
  const store = new InMemoryStore({ name: 'facts', extraction: { filter, trigger }, ...storeOptions });
  const memory = new MemoryManager({ stores: [store], ...options });
  const inner = scriptedModel(...replies);
  const model = wrapLanguageModel({ model: inner, middleware: memoryMiddleware(memory, { conversationId: 'chat' }) });
  return { store, memory, inner, model };
}

type Options = Pick<Parameters<typeof generateText>[0], 'model' | 'instructions' | 'maxRetries'> & {
  readonly messages: ModelMessage[];
  readonly tools?: ToolSet;
};

/** The ways to call a model: each returns the new messages and the prompts of the model. */
const WAYS = [
  {
    way: 'generateText',
    ask: async (options: Options) => {
      const { responseMessages } = await generateText({ stopWhen: isStepCount(5), ...options });
      return responseMessages;
    },
    prompts: (model: MockLanguageModelV4) => model.doGenerateCalls.map(({ prompt }) => prompt),
  },
  {
    way: 'streamText',
    ask: async (options: Options) => {
      let failure: unknown;
      const onError = ({ error }: { error: unknown }) => {
        failure = error;
      };
      const result = streamText({ stopWhen: isStepCount(5), onError, ...options });
      await result.consumeStream();
      if (failure !== undefined) throw failure;
      return result.responseMessages;
    },
    prompts: (model: MockLanguageModelV4) => model.doStreamCalls.map(({ prompt }) => prompt),
  },
];

const AISLE = expect.stringMatching(
  /^\n\n<memory>\n<entry source="facts" date="[\d-]{10}">Alice prefers aisle seats\.<\/entry>\n<\/memory>$/,
);
const user = (content: string): ModelMessage => ({ role: 'user', content });
const text = (part: unknown) => ({ type: 'text', text: part });
const clock = tool({ description: 'The time.', inputSchema: z.object({}), execute: () => 'Noon.' });

/** The stored messages, as pairs of role and text. */
async function utterances(store: InMemoryStore) {
  const { items } = await store.list({ order: 'oldest' });
  return items.flatMap(({ content, turn }) => (turn === undefined ? [] : [[turn.speaker, content]]));
}

describe.each(WAYS)('memory in $way', ({ ask, prompts }) => {
  it('is appended to the user message, and stays there during tool calls', async () => {
    const { model, inner, store } = setup({}, [{ tool: 'clock', input: {} }], 'Aisle.');
    await store.add('Alice prefers aisle seats.');
    const messages = [user('Which seats does Alice prefer?')];
    const answered = await ask({ model, messages, tools: { clock } });
    expect(prompts(inner)).toMatchObject([
      [{ role: 'user', content: [text('Which seats does Alice prefer?'), text(AISLE)] }],
      [
        { role: 'user', content: [text('Which seats does Alice prefer?'), text(AISLE)] },
        { role: 'assistant' },
        { role: 'tool' },
      ],
    ]);
    expect(JSON.stringify([messages, answered])).not.toContain('<memory>');
  });

  it('changes nothing in the requests before, over ten turns with tool loops', async () => {
    const cities = ['Oslo', 'Rome', 'Lima', 'Cairo', 'Delhi', 'Tokyo', 'Paris', 'Quito', 'Accra', 'Hanoi'];
    const replies = cities.flatMap((city): Reply[] => [[{ tool: 'clock', input: {} }], `Somebody lives in ${city}.`]);
    const { model, inner, store } = setup({}, ...replies);
    for (const city of cities) await store.add(`A friend named ${city.at(0)}ob has moved to ${city} with two cats.`);
    const messages: ModelMessage[] = [];
    for (const city of cities) {
      messages.push(user(`Which friend has moved to ${city}?`));
      messages.push(...(await ask({ model, messages, tools: { clock } })));
    }
    const requests = prompts(inner);
    expect(requests).toHaveLength(20);
    for (const [index, request] of requests.slice(1).entries()) {
      const before = requests[index] ?? [];
      expect(JSON.stringify(request.slice(0, before.length))).toBe(JSON.stringify(before));
    }
    // Each turn has a block of its own.
    const blocks = JSON.stringify(requests.at(-1)).match(/<memory>/g);
    expect(blocks?.length).toBeGreaterThan(5);
    expect(JSON.stringify(messages)).not.toContain('<memory>');
  });

  it('stays where it was, and is not repeated for a question that is only a file', async () => {
    const { model, inner, store, memory } = setup({}, 'Aisle.', 'A cat, on an aisle seat.');
    await store.add('Alice prefers aisle seats.');
    const file: ModelMessage = {
      role: 'user',
      content: [{ type: 'file', data: new Uint8Array([1, 2]), mediaType: 'image/png' }],
    };
    const messages = [user('Which seats does Alice prefer?')];
    messages.push(...(await ask({ model, messages })), file);
    await ask({ model, messages });
    const [question, answer, picture] = prompts(inner)[1] ?? [];
    expect(question?.content).toMatchObject([text('Which seats does Alice prefer?'), text(AISLE)]);
    expect([answer?.content, picture?.content]).toMatchObject([[text('Aisle.')], [{ type: 'file' }]]);
    expect(picture?.content).toHaveLength(1);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([
      'Which seats does Alice prefer?',
      'Aisle.',
      'A cat, on an aisle seat.',
    ]);
  });

  it('is left out if the search fails', async () => {
    const onStoreError = vi.fn();
    const { model, inner, store } = setup(
      { memory: { telemetry: { onStoreError, logger: silent } } },
      'I do not know.',
    );
    store.search = () => Promise.reject(new Error('down'));
    await ask({ model, messages: [user('Which seats does Alice prefer?')] });
    expect(prompts(inner)[0]?.[0]?.content).toHaveLength(1);
    expect(onStoreError).toHaveBeenCalledWith(expect.objectContaining({ storeName: 'facts', operation: 'search' }));
  });

  it('has tools that search and add, and report invalid input to the model', async () => {
    const { model, inner, store, memory } = setup(
      { memory: { addToolConfig: true } },
      [{ tool: 'add_memory', input: { entries: ['Alice lives in Oslo.'] } }],
      [
        { tool: 'search_memory', input: { query: 'Oslo', maxSearchResults: 1 } },
        { tool: 'search_memory', input: { query: 'Oslo', stores: ['elsewhere'] } },
      ],
      'Oslo.',
    );
    await ask({ model, messages: [user('I live in Oslo.')], tools: memoryTools(memory) });
    const results = prompts(inner)
      .at(-1)
      ?.filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { content: [{ output: { type: 'json', value: { stored: 1 } } }] },
      {
        content: [
          { output: { type: 'json', value: { entries: [{ content: 'Alice lives in Oslo.', storeName: 'facts' }] } } },
          { output: { type: 'error-text', value: expect.stringContaining('"facts"') } },
        ],
      },
    ]);
    expect((await store.list()).items.map(({ content }) => content)).toEqual(['Alice lives in Oslo.']);
  });

  it('observes each message once and in order, without tool calls and injected memories', async () => {
    const { model, store, memory } = setup({}, [{ tool: 'clock', input: {} }], 'Noon, it is.', 'Bye.');
    await store.add('Alice prefers aisle seats.');
    const messages = [user('What time is it, and which seats?')];
    const instructions = 'Be brief.';
    messages.push(...(await ask({ model, instructions, messages, tools: { clock } })), user('See you at the seats'));
    await ask({ model, instructions, messages });
    await memory.flush();
    expect(await utterances(store)).toEqual([
      ['user', 'What time is it, and which seats?'],
      ['assistant', 'Noon, it is.'],
      ['user', 'See you at the seats'],
      ['assistant', 'Bye.'],
    ]);
    const { items } = await store.list({ order: 'oldest' });
    expect(items.at(-1)?.turn).toMatchObject({ thread: 'chat' });
  });

  it('learns a question once if it is repeated for another answer', async () => {
    const { model, store, memory } = setup({}, [{ tool: 'clock', input: {} }], 'Noon.', 'It is noon.', 'Bye.');
    const messages = [user('What time is it?')];
    await ask({ model, messages, tools: { clock } });
    messages.push(...(await ask({ model, messages })), user('What time is it?'));
    const again = wrapLanguageModel({
      model: scriptedModel('Still noon.'),
      middleware: memoryMiddleware(memory, { conversationId: 'chat' }),
    });
    await ask({ model, messages });
    await ask({ model: again, messages });
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([
      'What time is it?',
      'Noon.',
      'It is noon.',
      'What time is it?',
      'Bye.',
      'Still noon.',
    ]);
  });

  it('counts turns, not calls, and no failed turns, but keeps what the user said in them', async () => {
    const turns: number[] = [];
    const { model, store, memory } = setup(
      { store: { extraction: { filter, trigger: countsInto(turns) } } },
      new Error('overloaded'),
      [{ tool: 'clock', input: {} }],
      'Noon.',
      'Bye.',
    );
    await expect(ask({ model, messages: [user('One')], maxRetries: 0 })).rejects.toThrow('overloaded');
    expect(turns).toEqual([]);
    await ask({ model, messages: [user('Two')], tools: { clock } });
    expect(turns).toEqual([1]);
    await ask({ model, messages: [user('Three')] });
    expect(turns).toEqual([1, 2]);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual(['One', 'Two', 'Noon.', 'Three', 'Bye.']);
  });

  it('learns the question of a failed turn once, however often it is asked again', async () => {
    const { model, store, memory } = setup(
      {},
      new Error('overloaded'),
      new Error('overloaded'),
      [{ tool: 'clock', input: {} }],
      new Error('overloaded'),
      [{ tool: 'clock', input: {} }],
      'Noon.',
      'Bye.',
    );
    const messages = [user('What time is it?')];
    for (let attempt = 0; attempt < 3; attempt++) {
      await expect(ask({ model, messages, tools: { clock }, maxRetries: 0 })).rejects.toThrow('overloaded');
    }
    const answered = await ask({ model, messages, tools: { clock } });
    await ask({ model, messages: [...messages, ...answered, user('What time is it?')] });
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([
      'What time is it?',
      'Noon.',
      'What time is it?',
      'Bye.',
    ]);
  });

  it('learns each question once if a failed one stays in the history, or is replaced', async () => {
    const { model, store, memory } = setup({}, new Error('down'), new Error('down'), 'Hi.', 'Bye.');
    const fails = (messages: ModelMessage[]) => expect(ask({ model, messages, maxRetries: 0 })).rejects.toThrow('down');
    await fails([user('One')]);
    await fails([user('One'), user('Two')]);
    await ask({ model, messages: [user('One'), user('Two'), user('Three')] });
    await ask({ model, messages: [user('Something else')] });
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([
      'One',
      'Two',
      'Three',
      'Hi.',
      'Something else',
      'Bye.',
    ]);
  });

  it('learns the results of tools once if the call after them fails and is made again', async () => {
    const { model, memory } = setup(
      { store: { extraction: { filter: (message) => message } } },
      [{ tool: 'clock', input: {} }],
      new Error('overloaded'),
      new Error('overloaded'),
      'Noon.',
    );
    const messages = [user('What time is it?')];
    await expect(ask({ model, messages, tools: { clock }, maxRetries: 0 })).rejects.toThrow('overloaded');
    const call = { toolCallId: 'call-1-0', toolName: 'clock' };
    messages.push(
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'Noon.' } }] },
    );
    await expect(ask({ model, messages, tools: { clock }, maxRetries: 0 })).rejects.toThrow('overloaded');
    messages.push(user('Are you there?'));
    await ask({ model, messages, tools: { clock } });
    // The question, the call, the result, the second question, the answer.
    expect(await memory.flush()).toEqual({ facts: { saved: 5, failed: 0 } });
  });

  it('hands messages over as they come, so that a flush in the middle of a turn saves them', async () => {
    const { model, store, memory } = setup(
      { store: { extraction: { filter: (message) => message } } },
      [{ tool: 'save', input: {} }],
      [{ tool: 'save', input: {} }],
      'Done.',
    );
    const saved: unknown[] = [];
    const save = tool({
      description: 'Saves what was said.',
      inputSchema: z.object({}),
      async execute() {
        saved.push(await memory.flush());
        return 'It is saved.';
      },
    });
    await ask({ model, messages: [user('Save everything, twice.')], tools: { save } });
    // The question and the call; then the result and the next call.
    expect(saved).toEqual([{ facts: { saved: 2, failed: 0 } }, { facts: { saved: 2, failed: 0 } }]);
    expect(await memory.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
    expect(await utterances(store)).toEqual([
      ['user', 'Save everything, twice.'],
      ['assistant', 'Done.'],
    ]);
  });

  it('hands the question over before the model answers', async () => {
    const { model, inner, store, memory } = setup({}, 'Hi.');
    const { doGenerate, doStream } = inner;
    inner.doGenerate = async (options) => {
      await memory.flush();
      return doGenerate.call(inner, options);
    };
    inner.doStream = async (options) => {
      await memory.flush();
      return doStream.call(inner, options);
    };
    await ask({ model, messages: [user('Hello')] });
    expect(await utterances(store)).toEqual([['user', 'Hello']]);
  });

  it('neither learns nor searches for what another middleware has injected', async () => {
    const { store, memory, inner, model } = setup({}, 'Aisle.');
    await store.add('Alice prefers aisle seats.');
    const team = new InMemoryStore({ name: 'team', extraction: { filter } });
    await team.add('Alice prefers seats near the aisle.');
    const teamMemory = new MemoryManager({ stores: [team] });
    const both = wrapLanguageModel({
      model: model as ReturnType<typeof wrapLanguageModel>,
      middleware: memoryMiddleware(teamMemory, { conversationId: 'chat' }),
    });
    await ask({ model: both, messages: [user('Which seats does Alice prefer?')] });
    expect(prompts(inner)[0]?.[0]?.content).toMatchObject([
      text('Which seats does Alice prefer?'),
      text(expect.stringContaining('near the aisle')),
      text(AISLE),
    ]);
    await Promise.all([memory.flush(), teamMemory.flush()]);
    for (const each of [store, team]) {
      expect(await utterances(each)).toEqual([
        ['user', 'Which seats does Alice prefer?'],
        ['assistant', 'Aisle.'],
      ]);
    }
  });

  it('answers after the messages are in the outbox', async () => {
    const outbox = new InMemoryStore({ name: 'outbox' });
    const { promise: written, resolve: write } = Promise.withResolvers<void>();
    const { putMany } = outbox;
    outbox.within = () => outbox;
    outbox.putMany = async (records) => {
      await written;
      return putMany.call(outbox, records);
    };
    const { model } = setup({ memory: { outbox } }, 'Hi.');
    let answered = false;
    const asked = ask({ model, messages: [user('Hello')] }).finally(() => {
      answered = true;
    });
    for (let round = 0; round < 50; round++) await setImmediate();
    expect(answered).toBe(false);
    write();
    await asked;
  });

  it('answers even if the outbox fails', async () => {
    const onStoreError = vi.fn();
    const outbox = new InMemoryStore({ name: 'outbox' });
    outbox.within = () => outbox;
    outbox.putMany = () => Promise.reject(new Error('full'));
    const { model } = setup({ memory: { outbox, telemetry: { onStoreError, logger: silent } } }, 'Hi.');
    expect(await ask({ model, messages: [user('Hello')] })).toMatchObject([{ role: 'assistant' }]);
    expect(onStoreError).toHaveBeenCalledWith(expect.objectContaining({ storeName: 'outbox' }));
  });
});

describe('a stream that is aborted', () => {
  it.each(['by its signal', 'by its reader'])('is not a turn, but what the user said is kept: %s', async (how) => {
    const turns: number[] = [];
    const { model, memory, store } = setup(
      { store: { extraction: { filter, trigger: countsInto(turns) } } },
      { begins: 'A long answer' },
      'Hi.',
    );
    const stop = new AbortController();
    const { textStream } = streamText({ model, prompt: 'Tell me', abortSignal: stop.signal });
    for await (const _ of textStream) {
      if (how === 'by its reader') break;
      stop.abort();
    }
    await streamText({ model, prompt: 'Hello' }).consumeStream();
    expect(turns).toEqual([1]);
    await memory.flush();
    expect(await utterances(store)).toEqual([
      ['user', 'Tell me'],
      ['user', 'Hello'],
      ['assistant', 'Hi.'],
    ]);
  });
});

it('the messages of an aborted turn stay in the outbox', async () => {
  const outbox = new InMemoryStore({ name: 'outbox' });
  const { model } = setup({ memory: { outbox } }, [{ tool: 'clock', input: {} }], { begins: 'It is' });
  const stop = new AbortController();
  const options = { model, prompt: 'What time is it?', tools: { clock }, stopWhen: isStepCount(2) };
  const { textStream } = streamText({ ...options, abortSignal: stop.signal });
  for await (const _ of textStream) stop.abort();
  const observed = async () => {
    const [namespace] = (await outbox.namespaces()).items;
    const { items } = await outbox.within(namespace?.namespace ?? ['none']).list();
    return items.map(({ content }) => content).join();
  };
  await expect.poll(observed).toContain('What time is it?');
});

it('memory works with agents', async () => {
  const { model, inner, store, memory } = setup({}, [{ tool: 'search_memory', input: { query: 'seats' } }], 'Aisle.');
  await store.add('Alice prefers aisle seats.');
  const agent = new ToolLoopAgent({ model, tools: memoryTools(memory) });
  expect((await agent.generate({ prompt: 'Which seats does Alice prefer?' })).text).toBe('Aisle.');
  expect(inner.doGenerateCalls[0]?.prompt[0]?.content).toMatchObject([{}, text(AISLE)]);
});

it('each middleware has a separate conversation, unless `conversationId` is set', async () => {
  const store = new InMemoryStore({ name: 'facts', extraction: true });
  const memory = new MemoryManager({ stores: [store] });
  for (const prompt of ['One', 'Two']) {
    const model = wrapLanguageModel({ model: scriptedModel('Hi.'), middleware: memoryMiddleware(memory) });
    await generateText({ model, prompt });
  }
  await memory.flush();
  expect(new Set((await store.list()).items.map(({ turn }) => turn?.thread)).size).toBe(2);
});

describe('a store that needs a model to extract', () => {
  const FACT = JSON.stringify({
    changes: [{ action: 'add', id: null, content: 'The user lives in Oslo.', speaker: 'user' }],
  });

  it.each(['generateText', 'streamText'])('gets facts from the model that is wrapped (%s)', async (way) => {
    const store = addOnlyStore();
    const memory = new MemoryManager({ stores: [store] });
    const inner = scriptedModel('Nice city.', FACT, 'Bye.', FACT);
    const model = wrapLanguageModel({ model: inner, middleware: memoryMiddleware(memory) });
    for (const prompt of ['I live in Oslo.', 'See you!']) {
      if (way === 'generateText') await generateText({ model, prompt });
      else await streamText({ model, prompt }).consumeStream();
      expect(await memory.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
    }
    expect((await memory.search('Oslo')).map(({ content }) => content)).toEqual(['The user lives in Oslo.']);
    // Neither the question of memory nor its answer is part of the conversation.
    const asked = [...inner.doGenerateCalls, ...inner.doStreamCalls].map(({ prompt }) => prompt);
    expect(asked).toHaveLength(4);
    const extracted = asked.filter((prompt) => prompt[0]?.role === 'system').map((prompt) => prompt.at(-1)?.content);
    expect(extracted).toMatchObject([
      [text(expect.stringMatching(/>I live in Oslo\.<\/message>\n<message role="assistant">Nice city\.</))],
      [text(expect.stringMatching(/>See you!<\/message>\n<message role="assistant">Bye\.</))],
    ]);
    expect(JSON.stringify(extracted)).not.toMatch(/<memory>|You keep|changes/);
  });

  it('gets them from the model of the manager, if it has one', async () => {
    const store = addOnlyStore();
    const cheap = scriptedModel(FACT);
    const memory = new MemoryManager({ stores: [store], model: aiSdkModel(cheap) });
    const inner = scriptedModel('Nice city.');
    await generateText({
      model: wrapLanguageModel({ model: inner, middleware: memoryMiddleware(memory) }),
      prompt: 'I live in Oslo.',
    });
    await memory.flush({ throwOnFailure: true });
    expect([inner.doGenerateCalls.length, cheap.doGenerateCalls.length]).toEqual([1, 1]);
  });

  it('is extracted for with two memories around one model', async () => {
    const stores = [addOnlyStore(), addOnlyStore()];
    const memories = stores.map((store) => new MemoryManager({ stores: [store] }));
    const inner = scriptedModel('Nice city.', FACT, FACT);
    const middleware = memories.map((memory) => memoryMiddleware(memory));
    await generateText({ model: wrapLanguageModel({ model: inner, middleware }), prompt: 'I live in Oslo.' });
    for (const memory of memories) expect(await memory.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
    expect(inner.doGenerateCalls).toHaveLength(3);
  });
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A trigger that records the turns it is called for. */
function countsInto(turns: number[]) {
  return {
    name: 'counts',
    attach: ({ conversation }: { conversation: { onEndTurn(listener: (turn: number) => void): void } }) =>
      conversation.onEndTurn((turn) => void turns.push(turn)),
  };
}
