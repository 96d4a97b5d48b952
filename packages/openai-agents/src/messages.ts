import type { ContentBlock, JsonValue, Message } from '@keepsake/core';
import { copyData, guarded } from '@keepsake/core/adapter';
import { readToolInput } from '@keepsake/internal';
import type { AgentInputItem } from '@openai/agents';

/** Converts an item to one message; an item without text becomes an empty message. */
export function toMessage(item: AgentInputItem): Message {
  if ('role' in item) return { role: item.role, content: toBlocks(item.content) };
  if (item.type === 'function_call') {
    const { name, callId, arguments: input } = item;
    return {
      role: 'assistant',
      content: [{ toolUse: { name, toolUseId: callId, input: readToolInput<JsonValue>(input) } }],
    };
  }
  if (item.type === 'function_call_result') {
    const status = item.status === 'incomplete' ? 'error' : 'success';
    const result = { toolUseId: item.callId, status, content: [{ json: item.output }] };
    return { role: 'tool', content: [{ toolResult: result }] };
  }
  return { role: isResult(item) ? 'tool' : 'assistant', content: [] };
}

export function userMessage(text: string): AgentInputItem & { role: 'user'; content: string } {
  return { type: 'message', role: 'user', content: text };
}

/** The new part of an input: the items after the last output of the model. */
function newInput(input: string | readonly AgentInputItem[]): AgentInputItem[] {
  if (typeof input === 'string') return [userMessage(input)];
  const start = input.findLastIndex((item) => ('role' in item ? item.role === 'assistant' : !isResult(item))) + 1;
  return input.slice(start).filter((item) => !('role' in item && item.role === 'system'));
}

/** A copy of the new part of an input, which the caller may change during the run. */
export function copyInput(input: string | readonly AgentInputItem[]): AgentInputItem[] {
  return guarded('The input', () => copyData(newInput(input)));
}

function toBlocks(content: string | readonly object[]): ContentBlock[] {
  if (typeof content === 'string') return [{ text: content }];
  return content.map((part) => {
    if ('text' in part && typeof part.text === 'string') return { text: part.text };
    // A placeholder: memory can't read the attachment, but the question may refer to it.
    return { attachment: { type: 'type' in part ? String(part.type) : 'unknown' } };
  });
}

function isResult({ type }: AgentInputItem): boolean {
  return /_(result|output)$/.test(type ?? '');
}
