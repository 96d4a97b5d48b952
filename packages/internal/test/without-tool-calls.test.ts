import { describe, expect, it } from 'vitest';
import { withoutToolCalls } from '../src/index.ts';

const user = { role: 'user', content: 'Where?' };
const answer = { role: 'assistant', content: [{ type: 'output_text', text: 'Here.' }] };

describe('withoutToolCalls', () => {
  it.each([
    [
      'Agents SDK',
      [
        { type: 'reasoning', id: 'r', content: [] },
        { type: 'function_call', callId: 'c', name: 'search', arguments: '{}' },
        { type: 'function_call_result', callId: 'c', output: 'found' },
      ],
    ],
    [
      'Responses API',
      [
        { type: 'function_call', call_id: 'c', name: 'search', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'found' },
        { type: 'web_search_call', id: 'w' },
        { type: 'mcp_approval_request', id: 'm' },
        { type: 'mcp_approval_response', approval_request_id: 'm' },
      ],
    ],
    [
      'Responses API, of kinds that the Agents SDK does not know',
      [
        {
          type: 'unknown',
          id: 'c',
          providerData: { type: 'custom_tool_call', call_id: 'c', name: 'write', input: '' },
        },
        { type: 'unknown', providerData: { type: 'custom_tool_call_output', call_id: 'c', output: 'written' } },
      ],
    ],
    ['hosted tools', [{ type: 'hosted_tool_call', id: 'h', name: 'web_search_call' }]],
    [
      'Strands',
      [
        { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'search', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [] } }] },
      ],
    ],
    [
      'AI SDK',
      [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't', toolName: 'search', input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 't', output: {} }] },
      ],
    ],
  ])('leaves out the calls and results of the %s', (_, tools) => {
    expect(withoutToolCalls<object>([user, ...tools, answer])).toEqual([user, answer]);
  });

  it('keeps the other blocks of a message', () => {
    const said = { role: 'assistant', content: [{ text: 'I look it up.' }] };
    const use = { toolUse: { toolUseId: 't', name: 'search', input: {} } };
    expect(withoutToolCalls<object>([user, { ...said, content: [...said.content, use] }])).toEqual([user, said]);
  });

  it.each([
    ['a cache point of Strands', { cachePoint: { type: 'default' } }],
    ['an empty text', { type: 'text', text: ' ' }],
  ])('leaves out messages of which only %s would stay', (_, block) => {
    const use = { toolUse: { toolUseId: 't', name: 'search', input: {} } };
    const result = { toolResult: { toolUseId: 't', content: [] } };
    const items = [user, { role: 'assistant', content: [block, use] }, { role: 'user', content: [result, block] }];
    expect(withoutToolCalls<object>([...items, answer])).toEqual([user, answer]);
  });

  it('keeps no cache point that ended a part of the prompt that is left out', () => {
    const result = { toolResult: { toolUseId: 't', content: [] } };
    const cachePoint = { cachePoint: { type: 'default' } };
    const rest = [{ text: 'And now?' }, cachePoint];
    const asked = { role: 'user', content: [result, cachePoint, ...rest] };
    expect(withoutToolCalls<object>([asked])).toEqual([{ role: 'user', content: rest }]);
  });

  it.each([
    ['shell_call', 'shell_call_output'],
    ['program', 'program_output'],
    ['tool_search_call', 'tool_search_output'],
  ])('leaves no id in an answer after a %s that the service ran, because its reasoning is left out', (call, output) => {
    const said = { type: 'message', ...answer };
    const items = [
      user,
      { type: 'reasoning', id: 'rs_1' },
      { type: call, id: 'x_1', call_id: 'c' },
      { type: output, id: 'x_2', call_id: 'c' },
      { ...said, id: 'msg_1' },
    ];
    expect(withoutToolCalls<object>(items)).toEqual([user, said]);
  });

  it('keeps the reasoning after a result of the client with its answer', () => {
    const rest = [
      { type: 'reasoning', id: 'rs_2' },
      { type: 'message', ...answer, id: 'msg_1' },
    ];
    const items = [
      user,
      { type: 'reasoning', id: 'rs_1' },
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'search', arguments: '{}' },
      { type: 'function_call_output', id: 'fco_1', call_id: 'c', output: 'found' },
    ];
    expect(withoutToolCalls<object>([...items, ...rest])).toEqual([user, ...rest]);
  });

  it('keeps all other items as the same objects', () => {
    const items = [
      user,
      { type: 'reasoning', id: 'r' },
      answer,
      { role: 'user', content: [] },
      { note: 'my_call_log' },
      { type: 7 },
    ];
    const kept = withoutToolCalls<object>(items);
    expect(kept).toEqual(items);
    expect(kept.every((item, index) => item === items[index])).toBe(true);
  });
});
