import type { JsonObject } from '@keepsake/core';
import { isObject, parseJson } from '@keepsake/internal';

/* Items of sessions, in the format of the OpenAI Agents SDK. */

export function messageItem(role: string, text: string): JsonObject {
  if (role === 'assistant') {
    return { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text }] };
  }
  return { type: 'message', role: role === 'developer' ? 'system' : role, content: text };
}

/** @param input - What the tool is called with: JSON, or any text. */
export function callItem(callId: string, name: string, input: unknown): JsonObject {
  const isJson = typeof input === 'string' && isObject(parseJson(input));
  const json = isJson ? input : JSON.stringify(isObject(input) ? input : { input: input ?? null });
  return { type: 'function_call', callId, name, status: 'completed', arguments: json };
}

export function resultItem(callId: string, name: string, output: string): JsonObject {
  return { type: 'function_call_result', callId, name, status: 'completed', output: { type: 'text', text: output } };
}
