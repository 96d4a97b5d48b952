import { expect, it } from 'vitest';
import { timelineItem } from '../src/sessions/timeline.ts';

const call = { kind: 'toolCall', toolName: 'search', callId: '1' };
const result = { kind: 'toolResult', callId: '1', content: { text: 'found' } };

it.each<[string, unknown, object]>([
  ['a text', { role: 'user', content: 'hello' }, { kind: 'message', role: 'user', content: { text: 'hello' } }],
  ['a call of the Agents SDK', { type: 'function_call', callId: '1', name: 'search', arguments: '{}' }, call],
  ['its result', { type: 'function_call_result', callId: '1', output: { type: 'text', text: 'found' } }, result],
  ['a call of the Responses API', { type: 'function_call', call_id: '1', name: 'search', arguments: '{}' }, call],
  ['its output', { type: 'function_call_output', call_id: '1', output: 'found' }, result],
  [
    'blocks of Strands',
    { role: 'assistant', content: [{ text: 'ok' }, { toolUse: { name: 'search', toolUseId: '1', input: {} } }] },
    { kind: 'message', content: { text: 'ok' }, calls: [call] },
  ],
  [
    'blocks of Claude',
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'found' }] },
    { kind: 'message', calls: [result] },
  ],
  [
    'calls of Chat Completions',
    { role: 'assistant', content: null, tool_calls: [{ id: '1', function: { name: 'search', arguments: '{}' } }] },
    { kind: 'message', calls: [call] },
  ],
  ['its answer', { role: 'tool', tool_call_id: '1', content: 'found' }, result],
  [
    'a message of useChat',
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'ok' },
        { type: 'tool-search', toolCallId: '1', input: {} },
      ],
    },
    { kind: 'message', content: { text: 'ok' }, calls: [call] },
  ],
  [
    'parts of the AI SDK',
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: '1', toolName: 'search', output: { text: 'found' } }],
    },
    { kind: 'message', calls: [result] },
  ],
  [
    'reasoning',
    { type: 'reasoning', summary: [{ text: 'I think' }] },
    { kind: 'reasoning', content: { text: 'I think' } },
  ],
  ['anything else', { step: 3 }, { kind: 'other', content: { text: '{\n  "step": 3\n}' } }],
  ['a number', 7, { kind: 'other', content: { text: '7' } }],
])('shows %s', (_, item, expected) => {
  expect(timelineItem(item, 0)).toMatchObject(expected);
});
