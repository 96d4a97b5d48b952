import { setImmediate } from 'node:timers/promises';
import { MemoryManager, type MemoryManagerOptions } from '@keepsake/core';
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
import { memoryMiddleware, memoryTools } from '../src/index.ts';
import { type Reply, scriptedModel } from './programs/scripted-model.ts';

interface Setup {
  readonly store?: Partial<InMemoryStoreOptions>;
  readonly memory?: Partial<MemoryManagerOptions>;
}

/** A model with memory in one store that extracts from every conversation on request. */
function setup({ store: storeOptions, memory: options }: Setup, ...replies: Reply[]) {
  const store = new InMemoryStore({ name: 'facts', extraction: true, ...storeOptions });
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
      const { response } = await generateText({ stopWhen: isStepCount(5), ...options });
      return response.messages;
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
      return (await result.response).messages;
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

  it('changes no message before the last question', async () => {
    const { model, inner, store } = setup({}, 'Aisle.', 'Yes.');
    await store.add('Alice prefers aisle seats.');
    const messages = [user('Which seats does Alice prefer?')];
    messages.push(...(await ask({ model, messages })), user('Does she prefer aisle seats, really?'));
    await ask({ model, messages });
    expect(prompts(inner)[1]).toMatchObject([
      { role: 'user', content: [text('Which seats does Alice prefer?')] },
      { role: 'assistant', content: [text('Aisle.')] },
      { role: 'user', content: [text('Does she prefer aisle seats, really?'), text(AISLE)] },
    ]);
    expect(prompts(inner)[1]?.[0]?.content).toHaveLength(1);
  });

  it('is not injected if the question is only a file', async () => {
    const { model, inner, store, memory } = setup({}, 'Aisle.', 'A cat, on an aisle seat.');
    await store.add('Alice prefers aisle seats.');
    const messages = [user('Which seats does Alice prefer?')];
    messages.push(...(await ask({ model, messages })), {
      role: 'user',
      content: [{ type: 'file', data: new Uint8Array([1, 2]), mediaType: 'image/png' }],
    });
    await ask({ model, messages });
    const [question, answer, file] = prompts(inner)[1] ?? [];
    expect([question?.content, answer?.content]).toMatchObject([
      [text('Which seats does Alice prefer?')],
      [text('Aisle.')],
    ]);
    expect(question?.content).toHaveLength(1);
    expect(file?.content).toMatchObject([{ type: 'file' }, text(AISLE)]);
    await memory.flush();
    expect((await utterances(store)).map(([, content]) => content)).toEqual([
      'Which seats does Alice prefer?',
      'Aisle.',
      'A cat, on an aisle seat.',
    ]);
  });

  it('is left out if the search fails', async () => {
    const onStoreError = vi.fn();
    const { model, inner, store } = setup({ memory: { onStoreError, logger: silent } }, 'I do not know.');
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

  it('counts turns, not calls, and no failed turns', async () => {
    const turns: number[] = [];
    const { model, store, memory } = setup(
      { store: { extraction: { trigger: countsInto(turns) } } },
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
    expect((await utterances(store)).map(([, content]) => content)).toEqual(['Two', 'Noon.', 'Three', 'Bye.']);
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
    const { model } = setup({ memory: { outbox, onStoreError, logger: silent } }, 'Hi.');
    expect(await ask({ model, messages: [user('Hello')] })).toMatchObject([{ role: 'assistant' }]);
    expect(onStoreError).toHaveBeenCalledWith(expect.objectContaining({ storeName: 'outbox' }));
  });
});

describe('a stream that is aborted', () => {
  it.each(['by its signal', 'by its reader'])('is not a turn: %s', async (how) => {
    const turns: number[] = [];
    const { model, memory, store } = setup(
      { store: { extraction: { trigger: countsInto(turns) } } },
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
  await vi.waitFor(async () => {
    const [namespace] = (await outbox.namespaces()).items;
    const { items } = await outbox.within(namespace?.namespace ?? ['none']).list();
    expect(items.map(({ content }) => content).join()).toContain('What time is it?');
  });
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

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A trigger that records the turns it is called for. */
function countsInto(turns: number[]) {
  return {
    name: 'counts',
    attach: ({ conversation }: { conversation: { onEndTurn(listener: (turn: number) => void): void } }) =>
      conversation.onEndTurn((turn) => void turns.push(turn)),
  };
}
