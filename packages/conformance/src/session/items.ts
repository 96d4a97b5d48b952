import type { JsonObject } from '@keepsake/core';

/*
 * Most cases use items of the OpenAI Agents SDK, which even backends with a fixed set of items support. Such a backend
 * may add ids and change the form of content, so cases that aren't about JSON compare `briefs`.
 */

/** A user message, which begins a turn. */
export function say(text: string): JsonObject {
  return { type: 'message', role: 'user', content: text };
}

/** Messages `<prefix> 0`, `<prefix> 1` and so on. */
export function sayAll(prefix: string, count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => say(`${prefix} ${index}`));
}

/** A message of the model. */
export function answer(text: string): JsonObject {
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] };
}

/** A tool call. */
export function call(callId: string, name = 'look_up'): JsonObject {
  return { type: 'function_call', callId, name, status: 'completed', arguments: '{}' };
}

/** The result of a tool call. */
export function result(callId: string, name = 'look_up'): JsonObject {
  return { type: 'function_call_result', callId, name, status: 'completed', output: { type: 'text', text: 'found' } };
}

/** The identity of an item as text: comparable, and readable in the report of a failure. */
export function brief(item: object): string {
  const { type, callId, name, content } = item as Record<string, unknown>;
  if (type === 'function_call' || type === 'function_call_result') return `${type} ${callId} ${name}`;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(item);
  return content.map((block) => (block as { text?: unknown }).text).join('');
}

export function briefs(items: readonly object[]): string[] {
  return items.map(brief);
}
