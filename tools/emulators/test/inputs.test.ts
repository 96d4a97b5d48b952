import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseStreamCommand, type Message } from '@aws-sdk/client-bedrock-runtime';
import { answeredKinds, type HistoryFormat, historyOfKinds, modelHistory } from '@keepsake/testing/model-histories';
import { modelInputFaults } from '@keepsake/testing/model-input-faults';
import { chatInputFault } from '@keepsake/testing/model-inputs/chat';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAnthropic, startBedrock, startGateway, startOpenAI } from '../src/index.ts';

/* Each kind of conversation that a provider refuses, in its wire format. */

type Cases = readonly (readonly [name: string, fault: string, ...items: object[]])[];

function rowsOf(cases: Cases) {
  return cases.map(([name, fault, ...items]) => ({ name, fault, items: items as readonly object[] }));
}

describe('the Responses API', () => {
  const asked = { role: 'user', content: 'Hi' };
  const thought = { type: 'reasoning', id: 'rs_1', summary: [] };
  const answer = { type: 'message', role: 'assistant', id: 'msg_1', content: 'Hello' };
  const call = { type: 'function_call', call_id: 'c1', name: 'search', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'c1', output: 'found' };
  const request = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'f', arguments: '{}', server_label: 's' };
  const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };
  async function setup() {
    const emulator = await startOpenAI();
    onTestFinished(() => emulator.stop());
    const client = new OpenAI({ baseURL: emulator.baseURL, apiKey: emulator.apiKey, maxRetries: 0 });
    for (const output of [[thought, answer], [{ ...answer, id: 'msg_2' }]]) {
      emulator.answerWith(() => ({ output }));
      await client.post('/responses', { body: { model: 'm', input: [asked] } });
    }
    return (path: string, input: readonly object[]) => client.post(path, { body: { model: 'm', input } });
  }
  const cases: Cases = [
    ['a call without its result', 'No tool output found', asked, call],
    ['a result without its call', 'No tool call found', asked, result],
    ['a result before its call', 'No tool call found', asked, result, call],
    ['a second result', 'No tool call found', asked, call, result, result],
    [
      'a custom call without its result',
      'No tool output',
      { type: 'custom_tool_call', call_id: 'c', name: 'x', input: '' },
    ],
    [
      'a result of another kind of call',
      'No tool call found for custom tool call',
      asked,
      call,
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'found' },
    ],
    ['an approval request without an approval', 'do not have an approval', asked, request],
    ['an approval without its request', 'No approval request found', asked, approval],
    ['a second approval', 'has an approval already', asked, request, approval, approval],
    [
      'a call of a service without its approval request',
      'No approval request found',
      asked,
      {
        type: 'mcp_call',
        ...{ id: 'mcp_1', name: 'f', arguments: '{}', server_label: 's', approval_request_id: 'mcpr_1' },
      },
    ],
    [
      'a call of a program that is missing',
      'No program found',
      asked,
      { ...call, caller: { type: 'program', caller_id: 'p1' } },
      result,
    ],
    ['reasoning before settings', 'following item', asked, thought, { type: 'configuration_update' }, asked],
    [
      'reasoning before an approval',
      'following item',
      asked,
      request,
      { type: 'reasoning', id: 'rs_2', summary: [] },
      approval,
    ],
    ['reasoning at the end', 'following item', asked, thought],
    ['reasoning before a question', 'following item', asked, thought, asked],
    ['reasoning before another item than before', 'following item', asked, thought, { ...answer, id: 'msg_2' }],
    ['an answer without its reasoning', "'reasoning' item", asked, answer],
    ['an item twice', 'Duplicate item', asked, thought, answer, answer],
    ['an empty message', 'empty array', { role: 'user', content: [] }],
  ];

  it.each(rowsOf(cases))('refuses $name', async ({ fault, items }) => {
    const post = await setup();
    for (const path of ['/responses', '/responses/compact']) {
      const refused = { status: 400, message: expect.stringContaining(fault), param: 'input' };
      await expect(post(path, items)).rejects.toMatchObject(refused);
    }
  });

  it('accepts the results of calls that a program waits for, and refuses anything else meanwhile', async () => {
    const post = await setup();
    const caller = { type: 'program', caller_id: 'p1' };
    const program = { type: 'program', id: 'prog_1', call_id: 'p1', code: 'f()', fingerprint: 'x' };
    const items = [asked, program, { ...call, caller }, { ...result, caller }];
    await post('/responses', items);
    const refused = { status: 400, message: expect.stringContaining('No tool output found for program p1') };
    await expect(post('/responses', [...items, asked])).rejects.toMatchObject(refused);
  });

  it('accepts a compaction, and what is after it, without the reasoning before it', async () => {
    const emulator = await startOpenAI();
    onTestFinished(() => emulator.stop());
    const client = new OpenAI({ baseURL: emulator.baseURL, apiKey: emulator.apiKey, maxRetries: 0 });
    const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' };
    emulator.answerWith(() => ({ output: [thought, compaction, answer] }));
    await client.post('/responses', { body: { model: 'm', input: [asked] } });
    await client.post('/responses', { body: { model: 'm', input: [compaction, answer, asked] } });
  });

  it('accepts each kind of item', async () => {
    const post = await setup();
    for (const path of ['/responses', '/responses/compact']) await post(path, historyOfKinds('responses').items);
  });

  it.each(answeredKinds('responses'))('refuses each item of the kind %s alone', async (kind) => {
    const post = await setup();
    const [asked, ...items] = modelHistory('responses', [[kind]], [['message']]).items as [object, ...object[]];
    const pair = items.slice(0, -2);
    for (const one of pair)
      await expect(post('/responses', [asked, one])).rejects.toMatchObject({ status: 400, param: 'input' });
  });

  it.each(['program', 'program_output', 'mcp_approval_request', 'local_shell_call_output'])(
    'refuses an item of the type %s without its id',
    async (type) => {
      const post = await setup();
      const history = historyOfKinds('responses');
      const items = history.items as readonly { type: string }[];
      const nameless = items.map((item) => (item.type === type ? { ...item, id: undefined } : item));
      await expect(post('/responses', nameless)).rejects.toMatchObject({ status: 400 });
      const fault = expect.stringMatching(/Missing required parameter: 'input\[\d+\]\.id'/);
      expect(modelInputFaults(history, nameless)).toEqual([fault]);
    },
  );

  it('accepts a conversation with reasoning, calls and their results', async () => {
    const post = await setup();
    for (const path of ['/responses', '/responses/compact'])
      await post(path, [
        asked,
        thought,
        answer,
        asked,
        call,
        { ...call, call_id: 'c2' },
        result,
        { ...result, call_id: 'c2' },
      ]);
  });
});

describe.each<HistoryFormat>(['responses', 'agents', 'strands', 'ai-sdk', 'ui'])('items of %s', (format) => {
  // The AI SDK leaves out an input that was still streaming, as that of the failed call was.
  const unanswered = answeredKinds(format).filter((kind) => format !== 'ui' || kind !== 'failed call');
  it.each(unanswered)('are refused with a %s that nobody answered', (kind) => {
    for (const turns of [[[`open ${kind}`]], [[`open ${kind}`], ['message']]]) {
      const history = modelHistory(format, turns, [['message']]);
      expect(modelInputFaults(history, history.items)).not.toEqual([]);
    }
  });

  // In messages of user interfaces, a call and its answer are one part.
  it.each(format === 'ui' ? [] : answeredKinds(format))('are refused with the answer of a %s alone', (kind) => {
    const history = modelHistory(format, [[kind], ['message']]);
    const open = modelHistory(format, [[`open ${kind}`]]);
    const rest = [history.items[0] as object, ...history.items.slice(open.items.length)];
    expect(modelInputFaults(history, rest)).not.toEqual([]);
  });
});

describe('the Chat Completions API', () => {
  const asked = { role: 'user', content: 'Hi' };
  const calls = { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }, { id: 'c2' }] };
  const result = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'found' });
  const cases: Cases = [
    ['a call without its result', 'did not have response messages: c2', asked, calls, result('c1')],
    ['a result that does not follow at once', 'c1, c2', asked, calls, asked, result('c1'), result('c2')],
    ['a result without its call', "role 'tool'", asked, result('c1')],
    ['an empty answer', 'messages.[1].content', asked, { role: 'assistant', content: null }],
    ['an empty question', 'messages.[0].content', { role: 'user', content: [] }],
  ];

  it.each(rowsOf(cases))('refuses $name', ({ fault, items: messages }) => {
    expect(chatInputFault(messages as unknown as Parameters<typeof chatInputFault>[0])).toContain(fault);
  });

  it('accepts questions in a row, and results in any order', () => {
    expect(chatInputFault([asked, asked, calls, result('c2'), result('c1'), asked])).toBeUndefined();
  });
});

describe('the Converse API of Bedrock', () => {
  const asked = { role: 'user', content: [{ text: 'Hi' }] };
  const answer = { role: 'assistant', content: [{ text: 'Hello' }] };
  const thought = { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } };
  const toolUse = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'search', input: {} } });
  const toolResult = (toolUseId: string) => ({ toolResult: { toolUseId, content: [{ text: 'found' }] } });
  const says = (...content: object[]) => ({ role: 'assistant', content });
  const gives = (...content: object[]) => ({ role: 'user', content });
  async function setup() {
    const emulator = await startBedrock();
    const client = new BedrockRuntimeClient({ ...emulator.client, maxAttempts: 1 });
    onTestFinished(async () => {
      client.destroy();
      await emulator.stop();
    });
    return (messages: readonly object[]) =>
      client.send(
        new ConverseStreamCommand({ modelId: 'amazon.nova-lite-v1:0', messages: messages as unknown as Message[] }),
      );
  }
  const cases: Cases = [
    ['a conversation that the assistant begins', 'start with a user message', answer],
    ['two questions in a row', 'must alternate', asked, asked],
    ['two answers in a row', 'must alternate', asked, answer, answer],
    ['an empty message', 'content', gives()],
    ['a blank text', 'is blank', gives({ text: ' ' })],
    ['a cache point with nothing before it', 'must follow', gives({ cachePoint: { type: 'default' } }, { text: 'Hi' })],
    ['a message of thoughts alone', 'cannot be thinking', asked, says(thought), asked],
    ['a message that ends with thoughts', 'cannot be thinking', asked, says({ text: 'Hello' }, thought), asked],
    [
      'a call without its result',
      'Expected toolResult blocks',
      asked,
      says(toolUse('a'), toolUse('b')),
      gives(toolResult('a')),
    ],
    ['a call at the end', 'Expected toolResult blocks', asked, says(toolUse('a'))],
    ['a result without its call', 'exceeds', asked, answer, gives(toolResult('a'))],
    ['a result at the start', 'toolUse', gives(toolResult('a'))],
    ['two calls with one id', 'duplicate Ids', asked, says(toolUse('a'), toolUse('a')), gives(toolResult('a'))],
  ];

  it.each(rowsOf(cases))('refuses $name', async ({ fault, items: messages }) => {
    const converse = await setup();
    const refused = { name: 'ValidationException', message: expect.stringContaining(fault) };
    await expect(converse(messages)).rejects.toMatchObject(refused);
  });

  it('accepts a conversation with thoughts, calls and their results', async () => {
    const converse = await setup();
    const results = gives(toolResult('b'), toolResult('a'), { text: 'Go on.' });
    await converse([asked, says(thought, toolUse('a'), toolUse('b')), results, answer, asked]);
  });
});

describe('the Claude API', () => {
  const asked = { role: 'user', content: 'Hi' };
  const answer = { role: 'assistant', content: 'Hello' };
  const text = { type: 'text', text: 'Hello' };
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' };
  const use = (id: string) => ({ type: 'tool_use', id, name: 'search', input: {} });
  const result = (tool_use_id: string) => ({ type: 'tool_result', tool_use_id, content: 'found' });
  const search = (id: string) => ({ ...use(id), type: 'server_tool_use' });
  const hits = (tool_use_id: string) => ({ type: 'web_search_tool_result', tool_use_id, content: [] });
  const says = (...content: object[]) => ({ role: 'assistant', content });
  const gives = (...content: object[]) => ({ role: 'user', content });
  async function setup() {
    const emulator = await startAnthropic(() => 'Hello');
    onTestFinished(() => emulator.stop());
    const client = new Anthropic({ baseURL: emulator.url, apiKey: emulator.apiKey, maxRetries: 0 });
    return (messages: readonly object[]) =>
      client.post('/v1/messages', { body: { model: 'm', max_tokens: 10, messages } });
  }
  const cases: Cases = [
    ['a conversation that the assistant begins', 'first message', answer, asked],
    ['an empty message', 'non-empty content', asked, { role: 'assistant', content: '' }],
    ['a blank text', 'non-whitespace', gives({ type: 'text', text: ' ' })],
    ['a message of thoughts alone', 'cannot be `thinking`', asked, says(thought), asked],
    ['a message that ends with thoughts', 'cannot be `thinking`', asked, says(text, thought), asked],
    ['a call without its result', 'without `tool_result`', asked, says(use('a'), use('b')), gives(result('a'))],
    ['a call at the end', 'without `tool_result`', asked, says(use('a'))],
    ['a result after a text', 'without `tool_result`', asked, says(use('a')), gives(text, result('a'))],
    ['a result after a question', 'without `tool_result`', asked, says(use('a')), asked, gives(result('a'))],
    ['a result without its call', 'unexpected `tool_use_id`', asked, answer, gives(result('a'))],
    ['a search without its result', 'without their results: s', asked, says(search('s')), asked],
    ['a search at the end', 'without their results: s', asked, says(search('s'))],
    ['a result without its search', 'unexpected `tool_use_id`', asked, says(hits('s'), text)],
    ['a result before its search', 'unexpected `tool_use_id`', asked, says(hits('s'), search('s'))],
    [
      'a call id twice',
      'must be unique',
      asked,
      says(use('a')),
      gives(result('a')),
      says(use('a')),
      gives(result('a')),
    ],
  ];

  it.each(rowsOf(cases))('refuses $name', async ({ fault, items: messages }) => {
    const post = await setup();
    await expect(post(messages)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(fault) });
  });

  it('accepts messages of one role in a row, thoughts, calls and their results', async () => {
    const post = await setup();
    await post([asked, asked, says(thought), says(use('a'), use('b')), gives(result('b')), gives(result('a'), text)]);
  });

  it('accepts a search whose result comes after those of calls of the client', async () => {
    const post = await setup();
    const calls = [asked, says(search('s'), use('a')), gives(result('a'))];
    await post(calls);
    await post([...calls, says(hits('s'), text)]);
  });
});

describe('the AI Gateway', () => {
  const text = { type: 'text', text: 'Hi' };
  const thought = { type: 'reasoning', text: 'Hm.' };
  const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'search', input: {} });
  const asked = { role: 'user', content: [text] };
  const says = (...content: object[]) => ({ role: 'assistant', content });
  const results = (...ids: string[]) => ({
    role: 'tool',
    content: ids.map((toolCallId) => ({ type: 'tool-result', toolCallId, toolName: 'search', output: {} })),
  });
  async function setup(provider: string) {
    const { baseURL, apiKey, stop } = await startGateway(() => 'Hello');
    onTestFinished(stop);
    return async (prompt: readonly object[]) => {
      const answer = await fetch(`${baseURL}/language-model`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'ai-language-model-id': `${provider}/model` },
        body: JSON.stringify({ prompt }),
      });
      return { status: answer.status, text: await answer.text() };
    };
  }

  const cases: Cases = [
    ['google: a conversation that the model begins', 'start with a user turn', says(text), asked],
    ['google: two questions in a row', 'alternate', asked, asked],
    ['google: two answers in a row', 'alternate', asked, says(text), says(text)],
    ['google: a call after an answer', 'function call turn comes', asked, says(text), says(call('a')), results('a')],
    [
      'google: a call without its result',
      'number of function response',
      asked,
      says(call('a'), call('b')),
      results('a'),
    ],
    ['google: a call at the end', 'number of function response', asked, says(call('a'))],
    ['google: a result without its call', 'function response turn comes', asked, says(text), results('a')],
    ['google: an answer without parts', 'at least one part', asked, says({ type: 'text', text: '' })],
    ['anthropic: a call without its result', 'without `tool_result`', asked, says(call('a')), asked],
    ['anthropic: a result without its call', 'unexpected `tool_use_id`', asked, results('a')],
    ['anthropic: a message of thoughts alone', 'cannot be `thinking`', asked, says(thought), asked],
    ['anthropic: a conversation that the assistant begins', 'first message', says(text), asked],
    ['openai: a call without its result', 'No tool output found', asked, says(call('a')), asked],
    ['openai: a result without its call', 'No tool call found', asked, results('a')],
    ['openai: reasoning without an id', 'Missing required parameter', asked, says(thought, text)],
  ];

  it.each(rowsOf(cases))('refuses for $name', async ({ name, fault, items: prompt }) => {
    const post = await setup(name.split(':')[0] as string);
    const answer = await post(prompt);
    expect(answer).toEqual({ status: 400, text: expect.stringContaining(fault) });
  });

  it.each(['google', 'anthropic', 'openai'])(
    'accepts for %s a conversation with calls and their results',
    async (provider) => {
      const post = await setup(provider);
      const instructions = { role: 'system', content: 'Be brief.' };
      const prompt = [instructions, asked, says(text, call('a'), call('b')), results('b', 'a'), says(text), asked];
      expect(await post(prompt)).toMatchObject({ status: 200 });
    },
  );
});
