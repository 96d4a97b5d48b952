import { MemoryManager } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { generateText, isStepCount, type ModelMessage, streamText, tool, wrapLanguageModel } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type ContextMiddlewareOptions, contextMiddleware, memoryMiddleware } from '../src/index.ts';
import { type Reply, scriptedModel } from './programs/scripted-model.ts';

/** Also courtesies and questions, which the default leaves out. */
const filter = { exclude: ['toolUse', 'toolResult'] };

/** A model whose input has a text at the end of the user's last message. */
function setup(options: ContextMiddlewareOptions, ...replies: Reply[]) {
  const inner = scriptedModel(...replies);
  return { inner, model: wrapLanguageModel({ model: inner, middleware: contextMiddleware(options) }) };
}

/** A text that differs each time: `Call 1.`, `Call 2.` and so on. */
function counter(): () => string {
  let count = 0;
  return () => `Call ${++count}.`;
}

const lookup = tool({ description: 'Looks it up.', inputSchema: z.object({}), execute: () => 'Found.' });
const uses = [{ tool: 'lookup', input: {} }];
const user = (content: string): ModelMessage => ({ role: 'user', content });

/** The texts of the messages of the user, per call. */
const asked = (prompts: readonly { readonly role: string; readonly content: unknown }[][]) =>
  prompts.map((prompt) =>
    prompt
      .filter(({ role }) => role === 'user')
      .map(({ content }) => (content as { text: string }[]).map(({ text }) => text).join('')),
  );

describe('contextMiddleware', () => {
  it('adds the text to the message of the user, unchanged during tool calls, and never to your messages', async () => {
    const { inner, model } = setup({ render: counter() }, uses, 'One.', 'Two.');
    const messages = [user('First?')];
    const tools = { lookup };
    const { responseMessages } = await generateText({ model, messages, tools, stopWhen: isStepCount(3) });
    messages.push(...responseMessages, user('Second?'));
    await generateText({ model, messages, tools });
    expect(asked(inner.doGenerateCalls.map(({ prompt }) => prompt))).toEqual([
      ['First?\n\nCall 1.'],
      ['First?\n\nCall 1.'],
      ['First?', 'Second?\n\nCall 2.'],
    ]);
    expect(JSON.stringify(messages)).not.toContain('Call 1');
  });

  it('renders again for the same question in another turn, and with `everyTurn` for each call', async () => {
    const turns = setup({ render: counter() }, 'One.', 'Two.');
    for (let turn = 0; turn < 2; turn++) await streamText({ model: turns.model, prompt: 'Hi' }).consumeStream();
    expect(asked(turns.inner.doStreamCalls.map(({ prompt }) => prompt))).toEqual([
      ['Hi\n\nCall 1.'],
      ['Hi\n\nCall 2.'],
    ]);

    const calls = setup({ render: counter(), trigger: 'everyTurn' }, uses, 'One.');
    await generateText({ model: calls.model, prompt: 'Hi', tools: { lookup }, stopWhen: isStepCount(2) });
    expect(asked(calls.inner.doGenerateCalls.map(({ prompt }) => prompt))).toEqual([
      ['Hi\n\nCall 1.'],
      ['Hi\n\nCall 2.'],
    ]);
  });

  it('shows the messages and the parameters of the call to `render` and `trigger`', async () => {
    const { inner, model } = setup(
      {
        trigger: ({ params }) => params.providerOptions?.app?.user !== 'guest',
        render: ({ messages, params }) => `${messages.length} messages of ${params.providerOptions?.app?.user}.`,
      },
      'One.',
      'Two.',
    );
    for (const name of ['alice', 'guest']) {
      await generateText({ model, prompt: 'Hi', providerOptions: { app: { user: name } } });
    }
    expect(asked(inner.doGenerateCalls.map(({ prompt }) => prompt))).toEqual([['Hi\n\n1 messages of alice.'], ['Hi']]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('down'))],
    ['hangs', () => new Promise<string>(() => {})],
  ])('calls the model without the text if `render` %s', async (_, render) => {
    const logger = { debug() {}, info() {}, warn: vi.fn(), error() {} };
    const { inner, model } = setup({ render, deadlineMs: 20, logger }, 'One.');
    await generateText({ model, prompt: 'Hi' });
    expect(asked(inner.doGenerateCalls.map(({ prompt }) => prompt))).toEqual([['Hi']]);
    expect(logger.warn).toHaveBeenCalledOnce();
  });

  it.each(['before', 'after'])('adds a text that a memory does not learn, as middleware %s it', async (place) => {
    const store = new InMemoryStore({ name: 'facts', extraction: { filter } });
    const memory = new MemoryManager({ stores: [store] });
    const inner = scriptedModel('Hello.');
    const both = [memoryMiddleware(memory), contextMiddleware({ render: () => 'It is noon.' })];
    const middleware = place === 'before' ? both.toReversed() : both;
    await generateText({ model: wrapLanguageModel({ model: inner, middleware }), prompt: 'Hi there, I am Alice' });
    expect(asked(inner.doGenerateCalls.map(({ prompt }) => prompt))).toEqual([['Hi there, I am Alice\n\nIt is noon.']]);
    await memory.flush();
    const { items } = await store.list({ order: 'oldest' });
    expect(items.map(({ content }) => content)).toEqual(['Hi there, I am Alice', 'Hello.']);
  });

  it('refuses options that are not valid', () => {
    expect(() => contextMiddleware({} as never)).toThrow(/`render`/);
    expect(() => contextMiddleware({ render: () => 'x', deadlineMs: 0 })).toThrow(/`deadlineMs`/);
  });
});
