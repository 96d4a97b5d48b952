import { describe, expect, it } from 'vitest';
import { withoutToolCalls } from '../src/adapter.ts';

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
