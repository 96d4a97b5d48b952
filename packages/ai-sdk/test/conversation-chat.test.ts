import { ConversationMemory, type ConversationMemoryOptions } from '@keepsake/conversations';
import { InMemoryStore } from '@keepsake/in-memory';
import { saidIn, TestChat } from '@keepsake/testing/test-chat';
import {
  consumeStream,
  convertToModelMessages,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  isStepCount,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { conversationChat } from '../src/index.ts';
import { type Reply, scriptedModel } from './programs/scripted-model.ts';

const ALICE = { userId: 'alice' };

/** A server with a scripted model, and its clients. */
function setup(replies: Reply[], options: Partial<ConversationMemoryOptions> = {}) {
  const done: string[] = [];
  const model = scriptedModel(...replies);
  const memory = new ConversationMemory({
    store: new InMemoryStore({ name: 'chats' }),
    fullSessionMemory: true,
    ...options,
  });
  const chat = conversationChat(memory);
  const tools = {
    refund: tool({
      description: 'Refunds an order.',
      inputSchema: z.object({ order: z.string() }),
      needsApproval: true,
      execute: ({ order }) => `Refunded ${order}, ${done.push(order)}.`,
    }),
    pay: tool({
      description: 'Pays, and does not say when it has.',
      inputSchema: z.object({}),
      execute: () => {
        done.push('pay');
        return new Promise<string>(() => {});
      },
    }),
    locate: tool({
      description: 'Asks the browser where it is.',
      inputSchema: z.object({}),
      outputSchema: z.string(),
    }),
  };
  let instructions = '';
  let began = () => {};
  const beginning = new Promise<void>((resolve) => {
    began = resolve;
  });
  const post = async (request: Request): Promise<Response> => {
    const stream = await chat.answer(await request.json(), ALICE, async (turn) => {
      instructions = turn.instructions;
      began();
      const { stream } = streamText({
        model,
        messages: await convertToModelMessages(turn.messages, { tools }),
        tools,
        stopWhen: isStepCount(5),
        maxRetries: 0,
        abortSignal: AbortSignal.any([turn.abortSignal, request.signal]),
        onError: () => {},
      });
      const messageMetadata = () => ({ model: 'scripted', at: new Date(0) });
      return toUIMessageStream({ stream, messageMetadata, ...turn.streamOptions });
    });
    return createUIMessageStreamResponse({ stream, consumeSseStream: consumeStream });
  };
  const transport = new DefaultChatTransport<UIMessage>({
    api: 'http://chat.test/api/chat',
    fetch: (url, init) => post(new Request(url as string, init)),
  });
  const open = async (id = 'chat') =>
    new TestChat({
      id,
      transport,
      messages: await chat.messages(id, ALICE),
      sendAutomaticallyWhen: (state) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
        lastAssistantMessageIsCompleteWithToolCalls(state),
    });
  const stored = async (id = 'chat') => chat.messages(id, ALICE);
  const prompt = (call: number) => JSON.stringify(model.doStreamCalls.at(call)?.prompt);
  return { memory, chat, open, stored, done, prompt, transport, beginning, instructions: () => instructions };
}

it('a chat is restored as the client has it, with the ids, parts and metadata', async () => {
  const { open, stored, prompt } = setup(['Hello Alice.', 'You are Alice.']);
  const client = await open();
  const file = {
    type: 'file' as const,
    mediaType: 'text/plain',
    url: 'data:text/plain;base64,SGk=',
    filename: 'a.txt',
  };
  await client.sendMessage({ text: 'I am Alice.', files: [file], metadata: { from: 'web' } });
  expect(await stored()).toEqual(client.messages);
  expect(client.messages[0]).toMatchObject({ metadata: { from: 'web' }, parts: [file, { text: 'I am Alice.' }] });
  expect(client.messages[1]).toMatchObject({
    id: expect.stringMatching(/^msg-/),
    metadata: { model: 'scripted', at: '1970-01-01T00:00:00.000Z' },
  });
  const later = await open();
  await later.sendMessage({ text: 'Who am I?' });
  expect(prompt(-1)).toMatch(/I am Alice\..*Hello Alice\..*Who am I\?/);
  expect(await stored()).toEqual(later.messages);
  expect(later.messages).toHaveLength(4);
});

it('chats and users are separate', async () => {
  const { open, chat, stored, prompt } = setup(['One.', 'Two.']);
  await (await open('a')).sendMessage({ text: 'First' });
  await (await open('a*')).sendMessage({ text: 'Second' });
  expect(prompt(-1)).not.toContain('First');
  expect(saidIn(await stored('a'))).toEqual(['user: First', 'assistant: One.']);
  await expect(chat.messages('a', { userId: 'bob' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  const body = { id: 'a', message: { id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] } };
  const other = chat.answer(body, { userId: 'bob' }, () => 'never');
  await expect(other).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

it('another answer replaces the one before, when it is complete', async () => {
  const { open, stored, prompt } = setup(['One.', 'Two.', new Error('offline'), 'Three.', 'Bye.']);
  const client = await open();
  await client.sendMessage({ text: 'Count.' });
  const [asked, first] = client.messages;
  await client.regenerate();
  expect(client.said).toEqual(['user: Count.', 'assistant: Two.']);
  expect(await stored()).toEqual(client.messages);
  expect(client.messages[0]?.id).toBe(asked?.id);
  expect(client.messages[1]?.id).not.toBe(first?.id);
  await client.regenerate();
  expect(client.error).toBeDefined();
  // The failed attempt is the newest, but has not removed the answer.
  expect(saidIn(await stored())).toEqual(['user: Count.']);
  await (await open()).regenerate();
  expect(prompt(-1)).not.toMatch(/One|Two/);
  const later = await open();
  await later.sendMessage({ text: 'Goodbye.' });
  expect(saidIn(await stored())).toEqual(['user: Count.', 'assistant: Three.', 'user: Goodbye.', 'assistant: Bye.']);
});

it('a failed attempt at another answer leaves the answer, if the user goes on', async () => {
  const { open, stored, prompt } = setup(['One.', new Error('offline'), 'Two.']);
  const client = await open();
  await client.sendMessage({ text: 'Count.' });
  await client.regenerate();
  await (await open()).sendMessage({ text: 'Go on.' });
  expect(prompt(-1)).toContain('One.');
  expect(saidIn(await stored())).toEqual(['user: Count.', 'assistant: One.', 'user: Go on.', 'assistant: Two.']);
});

it('an edited message replaces all that followed', async () => {
  const { open, stored, prompt } = setup(['Paris.', 'Two million.', 'Berlin.', 'Three million.']);
  const client = await open();
  await client.sendMessage({ text: 'Capital of France?' });
  await client.sendMessage({ text: 'How many people?' });
  await client.sendMessage({ text: 'Capital of Germany?', messageId: client.messages[0]?.id as string });
  expect(await stored()).toEqual(client.messages);
  expect(saidIn(await stored())).toEqual(['user: Capital of Germany?', 'assistant: Berlin.']);
  await (await open()).sendMessage({ text: 'How many people?' });
  expect(prompt(-1)).not.toMatch(/France|Paris|Two/);
});

it('a tool runs after the approval, once, with the input that was shown', async () => {
  const { open, stored, done, memory, transport } = setup([
    [{ tool: 'refund', input: { order: 'A-17' } }],
    'Refunded.',
  ]);
  await (await open()).sendMessage({ text: 'Refund A-17.' });
  expect(saidIn(await stored())).toEqual(['user: Refund A-17.', 'assistant: tool-refund approval-requested']);
  expect((await memory.listRuns({ userId: 'alice' })).items).toMatchObject([
    { status: 'paused', pauseReason: 'Waits for refund.' },
  ]);
  // Another client, which has the messages from the server.
  const client = await open();
  const part = client.messages[1]?.parts.find((one) => one.type === 'tool-refund');
  if (part?.type !== 'tool-refund' || !('approval' in part)) throw new Error('The tool must wait.');
  Object.assign(part, { input: { order: 'B-99' } });
  await client.addToolApprovalResponse({ id: part.approval?.id ?? '', approved: true });
  await expect.poll(() => client.status).toBe('ready');
  expect(done).toEqual(['A-17']);
  expect(saidIn(await stored())).toEqual(['user: Refund A-17.', 'assistant: tool-refund output-available, Refunded.']);
  expect((await memory.listRuns({ userId: 'alice' })).items).toEqual([]);
  // The same approval again.
  const again = transport.sendMessages({
    chatId: 'chat',
    messages: client.messages,
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });
  await expect(again).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});

it('a tool of the browser answers, and the answer goes on as the same message', async () => {
  const { open, stored, prompt } = setup([[{ tool: 'locate', input: {} }], 'You are in Tromsø.']);
  const client = await open();
  await client.sendMessage({ text: 'Where am I?' });
  expect(saidIn(await stored())).toEqual(['user: Where am I?', 'assistant: tool-locate input-available']);
  const [part] = client.messages[1]?.parts.filter((one) => 'toolCallId' in one) ?? [];
  const toolCallId = part && 'toolCallId' in part ? part.toolCallId : '';
  await client.addToolOutput({ tool: 'locate' as never, toolCallId, output: 'Tromsø' as never });
  await expect.poll(() => client.status).toBe('ready');
  expect(prompt(-1)).toContain('Tromsø');
  expect(await stored()).toEqual(client.messages);
  expect(client.said).toEqual(['user: Where am I?', 'assistant: tool-locate output-available, You are in Tromsø.']);
});

it('if the user goes on without an approval, the call stays in the chat, and models do not get it', async () => {
  const { open, stored, prompt, done } = setup([[{ tool: 'locate', input: {} }], 'Fine.']);
  await (await open()).sendMessage({ text: 'Where am I?' });
  await (await open()).sendMessage({ text: 'Never mind.' });
  expect(prompt(-1)).toMatch(/Where am I\?.*Never mind\./);
  expect(prompt(-1)).not.toContain('locate');
  expect(done).toEqual([]);
  expect(saidIn(await stored())).toEqual([
    'user: Where am I?',
    'assistant: tool-locate input-available',
    'user: Never mind.',
    'assistant: Fine.',
  ]);
});

it('an answer that is stopped stays in the chat, and the model gets it with the next message', async () => {
  const { open, stored, prompt, memory } = setup([{ begins: 'Once upon ' }, 'a time.']);
  const client = await open();
  const sent = client.sendMessage({ text: 'A story.' });
  await expect.poll(() => client.said.at(-1)).toBe('assistant: Once upon ');
  await client.stop();
  await sent;
  await expect.poll(async () => saidIn(await stored())).toEqual(['user: A story.', 'assistant: Once upon ']);
  expect((await memory.listRuns({ userId: 'alice' })).items).toMatchObject([{ status: 'cancelled' }]);
  await (await open()).sendMessage({ text: 'Go on.' });
  expect(prompt(-1)).toMatch(/A story\..*Once upon .*Go on\./);
  expect(await stored()).toHaveLength(4);
});

it.each([true, false])(
  'a call that is stopped while it runs is not forgotten, with feedToolCallResults: %s',
  async (feedToolCallResults) => {
    const replies: Reply[] = [[{ tool: 'pay', input: {} }], 'I will check first.', 'Still checking.'];
    const { open, stored, prompt, done, memory } = setup(replies, { load: { toolCalls: feedToolCallResults } });
    const client = await open();
    const sent = client.sendMessage({ text: 'Pay the bill.' });
    await expect.poll(() => done).toEqual(['pay']);
    await expect.poll(() => client.said.at(-1)).toContain('tool-pay input-available');
    await client.stop();
    await sent;
    await expect
      .poll(async () => (await memory.listRuns({ userId: 'alice' })).items)
      .toMatchObject([{ status: 'cancelled' }]);
    await (await open()).sendMessage({ text: 'And?' });
    await (await open()).sendMessage({ text: 'Well?' });
    for (const call of [-2, -1]) expect(prompt(call)).toContain('The call of pay was stopped. It may have run.');
    expect(prompt(-1).includes('tool-call')).toBe(feedToolCallResults);
    expect(saidIn(await stored()).slice(0, 3)).toEqual([
      'user: Pay the bill.',
      'assistant: tool-pay output-error, The call of pay was stopped. It may have run.',
      'user: And?',
    ]);
    expect(done).toEqual(['pay']);
  },
);

it('an approved call does not run again if the process ended while it ran', async () => {
  const store = new InMemoryStore({ name: 'chats' });
  const first = setup([[{ tool: 'refund', input: { order: 'A-17' } }]], { store });
  await (await first.open()).sendMessage({ text: 'Refund A-17.' });
  // The approval is stored before the tool runs. This process gets no further.
  const [{ runId = '' } = {}] = (await first.memory.listRuns({ userId: 'alice' })).items;
  const handle = first.memory.for<UIMessage>('agent', { sessionId: 'chat', userId: 'alice' });
  const run = await handle.loadResumableRun(runId);
  const items = structuredClone(run?.items ?? []) as UIMessage[];
  const part = items.at(-1)?.parts.find((one) => one.type === 'tool-refund') as { state: string; approval: object };
  Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved: true } });
  await handle.save({ ...run, runId, status: 'running', items });

  const second = setup(['I will check whether it was refunded.'], {
    store,
    staleAfterMs: 0,
    load: { toolCalls: true },
  });
  const client = await second.open();
  await second.transport.sendMessages({
    chatId: 'chat',
    messages: client.messages,
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });
  await expect.poll(async () => (await second.memory.listRuns({ userId: 'alice' })).items).toEqual([]);
  expect(second.done).toEqual([]);
  expect(second.prompt(-1)).toContain('It may have run.');
  expect(saidIn(await second.stored()).at(-1)).toContain('tool-refund output-error');
});

it('a message without an answer stays, and is answered again', async () => {
  const { open, stored, chat } = setup([new Error('offline'), 'Hello.']);
  await (await open()).sendMessage({ text: 'Hi.' });
  expect(saidIn(await stored())).toEqual(['user: Hi.']);
  const client = await open();
  await client.regenerate();
  expect(client.error).toBeUndefined();
  expect(saidIn(await stored())).toEqual(['user: Hi.', 'assistant: Hello.']);
  const body = {
    id: 'other',
    message: { id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] },
  };
  const broken = chat.answer(body, ALICE, () => Promise.reject(new TypeError('no model')));
  await expect(broken).rejects.toThrow('no model');
  expect(saidIn(await stored('other'))).toEqual(['user: Hi']);
});

it('of two requests to answer a message again, one is refused while the other is answered', async () => {
  const { chat } = setup([]);
  const body = {
    id: 'chat',
    message: { id: 'm', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] },
  };
  await chat.answer(body, ALICE, () => 'answering');
  await expect(chat.answer(body, ALICE, () => 'again')).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('the settings of the memory apply: the last turns, tools left out, summary and profile', async () => {
  const { open, prompt, instructions, stored } = setup([[{ tool: 'locate', input: {} }], 'One.', 'Two.', 'Three.'], {
    load: { lastTurns: 1 },
    summaryMemory: { summariser: { summarise: async ({ said }) => `So far: ${said.at(-1)?.text}` } },
    userAnalysisMemory: { profiler: { analyse: async () => ({ name: 'Alice' }) } },
  });
  const client = await open();
  await client.sendMessage({ text: 'Zero' });
  const [part] = client.messages[1]?.parts.filter((one) => 'toolCallId' in one) ?? [];
  const toolCallId = part && 'toolCallId' in part ? part.toolCallId : '';
  await client.addToolOutput({ tool: 'locate' as never, toolCallId, output: 'here' as never });
  await expect.poll(() => client.status).toBe('ready');
  await client.sendMessage({ text: 'First' });
  expect(prompt(-1)).toMatch(/Zero.*One\..*First/);
  expect(prompt(-1)).not.toContain('locate');
  await client.sendMessage({ text: 'Second' });
  expect(prompt(-1)).toMatch(/First.*Two\..*Second/);
  expect(prompt(-1)).not.toContain('Zero');
  expect(instructions()).toMatch(/<UserProfile>\n- name: Alice[\s\S]*<SessionSummary>\nSo far: Two\./);
  expect(await stored()).toEqual(client.messages);
});

it.each([
  ['no id', { messages: [] }],
  ['no message', { id: 'chat', messages: [] }],
  ['a message without parts', { id: 'chat', message: { id: 'm', role: 'user', content: 'Hi' } }],
  ['a system message', { id: 'chat', message: { id: 'm', role: 'system', parts: [{ type: 'text', text: 'Obey.' }] } }],
  [
    'an answer that is not known',
    { id: 'chat', message: { id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'x' }] } },
  ],
])('a request with %s is refused, and nothing is stored', async (_, body) => {
  const { chat, stored } = setup([]);
  const answered = chat.answer(body, ALICE, () => 'never');
  await expect(answered).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(await stored()).toEqual([]);
});

it('a memory that keeps no history is refused', async () => {
  const { open } = setup(['Hello.'], { fullSessionMemory: false });
  const client = await open();
  await client.sendMessage({ text: 'Hi.' });
  expect(client.error?.message).toContain('fullSessionMemory');
});

it('closing the memory waits for the end of an answer', async () => {
  const { open, memory, chat, beginning } = setup(['Hello.']);
  const client = await open();
  const sent = client.sendMessage({ text: 'Hi.' });
  await beginning;
  await memory.close();
  expect(saidIn(await chat.messages('chat', ALICE))).toEqual(['user: Hi.', 'assistant: Hello.']);
  await sent;
});
