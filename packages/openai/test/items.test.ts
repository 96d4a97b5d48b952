import type { JsonObject } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { OpenAIConversationsSession } from '../src/index.ts';
import { emulated } from './emulated.ts';

const caller = { type: 'program', callerId: 'p-1' };

/** Items that are returned unchanged, except for the ids that the API assigns. */
const items: readonly [name: string, item: JsonObject][] = [
  ['a user message', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
  [
    'a message with an image as a data URL',
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_image', image: 'data:image/png;base64,iVBORw0K', detail: 'low' }],
    },
  ],
  [
    'a message with files',
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_image', image: { id: 'file-1' }, detail: 'auto' },
        { type: 'input_file', file: { id: 'file-2' }, filename: 'a.pdf' },
        { type: 'input_file', file: 'data:application/pdf;base64,JVBE', filename: 'b.pdf' },
        { type: 'input_file', file: { url: 'https://example.com/c.pdf' } },
      ],
    },
  ],
  ['instructions', { type: 'message', role: 'system', content: 'Be brief.' }],
  [
    'an answer with citations',
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      phase: 'final_answer',
      content: [
        {
          type: 'output_text',
          text: 'Yes.',
          providerData: { annotations: [{ type: 'url_citation', url: 'https://a.b' }] },
        },
        { type: 'refusal', refusal: 'No.' },
      ],
    },
  ],
  [
    'a call',
    { type: 'function_call', callId: 'c-1', name: 'f', namespace: 'n', status: 'completed', arguments: '{}', caller },
  ],
  [
    'a result with text',
    { type: 'function_call_result', callId: 'c-1', name: 'f', status: 'completed', output: 'found' },
  ],
  [
    'a result with an image',
    {
      type: 'function_call_result',
      callId: 'c-1',
      name: 'f',
      status: 'incomplete',
      output: [
        { type: 'input_text', text: 'See:' },
        { type: 'input_image', image: { id: 'file-1' }, detail: 'auto' },
      ],
    },
  ],
  [
    'reasoning',
    {
      type: 'reasoning',
      id: 'rs_1',
      content: [{ type: 'input_text', text: 'Hm.' }],
      rawContent: [{ type: 'reasoning_text', text: 'Hm, hm.' }],
      providerData: { encrypted_content: 'gAAAA' },
    },
  ],
  ['a program', { type: 'program', id: 'prog_1', callId: 'c-1', code: 'f()', fingerprint: 'x' }],
  [
    'the output of a program',
    { type: 'program_output', id: 'progout_1', callId: 'c-1', output: '1', status: 'completed' },
  ],
  ['a compaction', { type: 'compaction', encrypted_content: 'gAAAA' }],
  [
    'a computer call',
    {
      type: 'computer_call',
      callId: 'c-1',
      status: 'completed',
      action: { type: 'click', x: 1, y: 2, button: 'left' },
      providerData: { pending_safety_checks: [{ id: 's-1' }] },
    },
  ],
  [
    'a computer call result',
    {
      type: 'computer_call_result',
      callId: 'c-1',
      output: { type: 'computer_screenshot', data: 'data:image/png;base64,iVBORw0K' },
      providerData: { acknowledged_safety_checks: [{ id: 's-1' }] },
    },
  ],
  [
    'a shell call',
    {
      type: 'shell_call',
      callId: 'c-1',
      status: 'completed',
      action: { commands: ['ls'], timeoutMs: 1000, maxOutputLength: 99 },
      caller,
    },
  ],
  [
    'a shell call output',
    {
      type: 'shell_call_output',
      callId: 'c-1',
      status: 'completed',
      maxOutputLength: 99,
      output: [
        { stdout: 'a', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
        { stdout: '', stderr: '', outcome: { type: 'timeout' } },
      ],
    },
  ],
  [
    'a patch',
    {
      type: 'apply_patch_call',
      callId: 'c-1',
      status: 'completed',
      operation: { type: 'create_file', path: 'a', diff: '+a' },
    },
  ],
  ['an apply_patch output', { type: 'apply_patch_call_output', callId: 'c-1', status: 'failed', output: 'no' }],
  [
    'a tool search',
    { type: 'tool_search_call', callId: 'c-1', execution: 'client', status: 'completed', arguments: { query: 'f' } },
  ],
  [
    'a tool search output',
    {
      type: 'tool_search_output',
      callId: 'c-1',
      execution: 'client',
      status: 'completed',
      tools: [{ type: 'function' }],
    },
  ],
  [
    'a web search',
    {
      type: 'hosted_tool_call',
      name: 'web_search_call',
      status: 'completed',
      providerData: { type: 'web_search_call', action: { type: 'search', query: 'x' } },
    },
  ],
  [
    'a generated image',
    {
      type: 'hosted_tool_call',
      name: 'image_generation_call',
      status: 'completed',
      output: 'iVBORw0K',
      providerData: { type: 'image_generation_call' },
    },
  ],
  [
    'an MCP call',
    {
      type: 'hosted_tool_call',
      name: 'mcp_call',
      status: 'completed',
      output: 'done',
      providerData: { type: 'mcp_call', name: 'f', arguments: '{}', server_label: 's' },
    },
  ],
  [
    'an approval request',
    {
      type: 'hosted_tool_call',
      id: 'mcpr_1',
      name: 'mcp_approval_request',
      providerData: { type: 'mcp_approval_request', name: 'f', arguments: '{}', server_label: 's' },
    },
  ],
];

describe('an item is read back unchanged', () => {
  it.each(items)('%s', async (_, item) => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([item]);
    const [{ id, ...stored }] = (await session.getItems()) as [JsonObject];
    const keepsId = ['reasoning', 'program', 'program_output', 'mcp_approval_request'].includes(
      String(item.name ?? item.type),
    );
    expect(keepsId ? { id, ...stored } : stored).toEqual(item);
    expect(id).toMatch(keepsId ? /^(rs|prog|progout|mcpr)_1$/ : /^[a-z]+_[0-9a-f]{48}$/);
    // Items that were read or popped can be written again.
    await session.addItems([(await session.popItem()) as JsonObject]);
    const [{ id: newId, ...again }] = (await session.getItems()) as [JsonObject];
    expect(again).toEqual(stored);
    expect(newId === id).toBe(keepsId);
  });
});

describe('an item in another form', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'with a string as content becomes a list with one block',
      { role: 'user', content: 'Hi' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    ],
    [
      'of an older result form becomes a string',
      {
        type: 'function_call_result',
        callId: 'c',
        name: 'f',
        status: 'completed',
        output: { type: 'text', text: 'a' },
      },
      { type: 'function_call_result', callId: 'c', name: 'f', status: 'completed', output: 'a' },
    ],
    [
      'drops the data of other providers',
      { type: 'message', role: 'user', content: 'Hi', providerData: { temperature: 1 } },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    ],
    [
      'accepts either name of a field in providerData',
      { type: 'reasoning', id: 'rs_1', content: [], providerData: { encryptedContent: 'gAAAA', id: 'rs_1' } },
      { type: 'reasoning', id: 'rs_1', content: [], providerData: { encrypted_content: 'gAAAA' } },
    ],
  ])('%s', async (_, item, expected) => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([item]);
    expect(await session.getItems()).toMatchObject([expected]);
  });

  it('keeps the id of a tool search that the SDK has in providerData', async () => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    const providerData = { call_id: 'c-1', execution: 'client' };
    await session.addItems([
      { type: 'tool_search_call', status: 'completed', arguments: {}, providerData },
      { type: 'tool_search_output', status: 'completed', tools: [], providerData },
    ]);
    const stored = { callId: 'c-1', execution: 'client', status: 'completed' };
    expect(await session.getItems()).toMatchObject([stored, stored]);
  });

  it('of a local shell keeps the id of its result, which is that of the call', async () => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    const providerData = { type: 'local_shell_call_output', id: 'c-1', output: '' };
    await session.addItems([{ type: 'unknown', id: 'c-1', providerData }]);
    expect(await session.getItems()).toEqual([{ type: 'unknown', id: 'c-1', providerData }]);
  });

  it('of a type that the SDK does not have is returned whole and can be written again', async () => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    const custom = { type: 'custom_tool_call' as const, call_id: 'c-1', name: 'f', input: 'x' };
    await client.conversations.items.create(await session.getSessionId(), { items: [custom] });
    const [item] = (await session.getItems()) as [JsonObject];
    expect(item).toMatchObject({ type: 'unknown', providerData: custom });
    await session.addItems([item]);
    expect((await session.getItems()).map(({ providerData }) => providerData)).toMatchObject([custom, custom]);
  });
});

describe('for runners', () => {
  it('replayed items keep only the ids that a model requires', async () => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    const replay = (item: JsonObject) => session.prepareHistoryItemForModelInput(item).id;
    expect(session.preserveReasoningItemIdsForPersistence()).toBe(true);
    expect(replay({ type: 'message', role: 'assistant', id: 'msg_1', content: [] })).toBe(undefined);
    expect(replay({ role: 'user', id: 'msg_1', content: 'x' })).toBe(undefined);
    expect(replay({ type: 'function_call', id: 'fc_1', callId: 'c', name: 'f', arguments: '' })).toBe(undefined);
    expect(replay({ type: 'reasoning', id: 'rs_1', content: [] })).toBe('rs_1');
    expect(replay({ type: 'program', id: 'prog_1', callId: 'c', code: '', fingerprint: '' })).toBe('prog_1');
  });

  it.each(items)('stored and given items compare as equal: %s', async (_, item) => {
    const { client } = await emulated();
    const session = new OpenAIConversationsSession({ client });
    await session.addItems([item]);
    const compare = (all: JsonObject[]) => session.prepareHistoryItemsForPersistenceComparison(all);
    expect(compare(await session.getItems())).toEqual(compare([item]));
  });
});
