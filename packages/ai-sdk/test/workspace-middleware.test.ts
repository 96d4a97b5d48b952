import { useDirectory } from '@keepsake/testing';
import { localDirectory, WorkspaceMemory } from '@keepsake/workspace';
import { generateText, isStepCount, type ModelMessage, streamText, type ToolSet, wrapLanguageModel } from 'ai';
import { beforeEach, describe, expect, it } from 'vitest';
import { workspaceMiddleware, workspaceTools } from '../src/index.ts';
import { type Reply, scriptedModel } from './programs/scripted-model.ts';

const directory = useDirectory();
let memory: WorkspaceMemory;
beforeEach(() => {
  const model = { generate: () => Promise.reject(new Error('not asked here')) };
  memory = new WorkspaceMemory({ workspace: localDirectory(directory.path), model });
});

function setup(...replies: Reply[]) {
  const inner = scriptedModel(...replies);
  const middleware = workspaceMiddleware(memory, { conversationId: 'fix' });
  return { inner, model: wrapLanguageModel({ model: inner, middleware }) };
}

async function segments() {
  const text = (await localDirectory(directory.path).read('sessions/fix.jsonl'))?.text ?? '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

type Options = Parameters<typeof generateText>[0] & { readonly messages: ModelMessage[]; readonly tools?: ToolSet };

/** The ways to call a model. Each returns the new messages. */
const WAYS = [
  {
    way: 'generateText',
    ask: async (options: Options) => (await generateText({ maxRetries: 0, ...options })).responseMessages,
    prompts: (model: ReturnType<typeof scriptedModel>) => model.doGenerateCalls.map(({ prompt }) => prompt),
  },
  {
    way: 'streamText',
    ask: async (options: Options) => {
      let failure: unknown;
      const onError = ({ error }: { error: unknown }) => {
        failure = error;
      };
      const result = streamText({ maxRetries: 0, ...options, onError } as Parameters<typeof streamText>[0]);
      await result.consumeStream();
      if (failure !== undefined) throw failure;
      return result.responseMessages;
    },
    prompts: (model: ReturnType<typeof scriptedModel>) => model.doStreamCalls.map(({ prompt }) => prompt),
  },
];

const user = (content: string): ModelMessage => ({ role: 'user', content });

describe.each(WAYS)('a workspace middleware with $way', ({ ask, prompts }) => {
  it('gives the model the summary and the tools, and saves the run', async () => {
    const files = localDirectory(directory.path);
    await files.write('memories/memory_summary.md', '- Tests run with make check [rollouts: a]');
    await files.write('memories/MEMORY.md', '# T\n- The port is 8080 [rollouts: a]');
    const { model, inner } = setup([{ tool: 'memory_search', input: { query: 'port' } }], '8080.');
    const tools = workspaceTools(memory);
    await ask({
      model,
      system: 'Be brief.',
      messages: [user('Which port?')],
      tools,
      stopWhen: isStepCount(3),
    } as Options);
    for (const [first, second, third] of prompts(inner)) {
      expect(first).toMatchObject({ role: 'system', content: 'Be brief.' });
      expect(second).toMatchObject({ role: 'system', content: expect.stringContaining('Tests run with make check') });
      expect(third?.role).toBe('user');
    }
    expect(JSON.stringify(prompts(inner)[1])).toContain('The port is 8080');
    expect(await segments()).toMatchObject([
      {
        rolloutId: 'fix',
        input: [{ role: 'user', content: [{ text: 'Which port?' }] }],
        generatedItems: [
          { role: 'assistant', content: [{ type: 'tool-call', toolName: 'memory_search' }] },
          { role: 'tool', content: [{ type: 'tool-result' }] },
          { role: 'assistant', content: [{ type: 'text', text: '8080.' }] },
        ],
        terminal: { state: 'completed', hasFinalOutput: true },
      },
    ]);
    expect(JSON.stringify(await segments())).not.toContain('Memory of earlier runs');
  });

  it('saves each run once, with only its new messages', async () => {
    const { model } = setup('One.', 'Two.');
    const first = [user('First'), ...(await ask({ model, messages: [user('First')] } as Options))];
    await ask({ model, messages: [...first, user('Second')] } as Options);
    expect((await segments()).map(({ input }) => input)).toMatchObject([
      [{ content: [{ text: 'First' }] }],
      [{ content: [{ text: 'Second' }] }],
    ]);
  });

  it('saves a run that failed, when the memory closes', async () => {
    const { model } = setup(new TypeError('x is null'));
    await expect(ask({ model, messages: [user('Try')] } as Options)).rejects.toThrow('x is null');
    await memory.close();
    expect(await segments()).toMatchObject([
      {
        input: [{ role: 'user' }],
        terminal: { state: 'failed', exceptionMessage: expect.stringContaining('x is null') },
      },
    ]);
  });

  it('saves a repeated call as one run', async () => {
    const { model } = setup(new TypeError('x is null'), 'Better.');
    await expect(ask({ model, messages: [user('Try')] } as Options)).rejects.toThrow('x is null');
    await ask({ model, messages: [user('Try')] } as Options);
    await memory.close();
    expect(await segments()).toMatchObject([{ terminal: { state: 'completed' } }]);
    expect(await segments()).toHaveLength(1);
  });

  it('saves a run that stops after a call of tools as interrupted, when the next one begins', async () => {
    const { model } = setup([{ tool: 'memory_search', input: { query: 'x' } }], 'Hello.');
    const messages = [
      user('Search'),
      ...(await ask({ model, messages: [user('Search')], tools: workspaceTools(memory) } as Options)),
    ];
    await ask({ model, messages: [...messages, user('Hi')] } as Options);
    expect(await segments()).toMatchObject([
      { input: [{ content: [{ text: 'Search' }] }], terminal: { state: 'interrupted' } },
      { input: [{ role: 'tool' }, { content: [{ text: 'Hi' }] }], terminal: { state: 'completed' } },
    ]);
  });
});

it('a stream that nobody reads to its end is saved by closing the memory', async () => {
  const { model } = setup({ begins: 'Once ' });
  const abort = new AbortController();
  const { stream } = streamText({ model, prompt: 'A story', abortSignal: abort.signal, onError: () => {} });
  const reader = stream.getReader();
  while ((await reader.read()).value?.type !== 'text-delta');
  await memory.close();
  expect(await segments()).toMatchObject([
    { input: [{ content: [{ text: 'A story' }] }], terminal: { state: 'interrupted', hasFinalOutput: false } },
  ]);
  abort.abort();
});

it('a model answers even if its run cannot be saved, and the error is reported', async () => {
  const errors: unknown[] = [];
  const broken = { ...localDirectory(directory.path), append: () => Promise.reject(new Error('full')), id: 'broken' };
  memory = new WorkspaceMemory({ workspace: broken, model: { generate: () => Promise.reject(new Error()) } });
  const middleware = workspaceMiddleware(memory, { onError: (error) => errors.push(error) });
  const model = wrapLanguageModel({ model: scriptedModel('Answer.'), middleware });
  expect((await generateText({ model, prompt: 'x' })).text).toBe('Answer.');
  expect(errors).toMatchObject([{ message: 'full' }]);
});
