import type { JsonObject } from '@keepsake/core';

export const user = (content: string): JsonObject => ({ role: 'user', content });
export const assistant = (content: string): JsonObject => ({ role: 'assistant', content });
export const call = (callId: string): JsonObject => ({
  type: 'function_call',
  callId,
  name: 'look_up',
  arguments: '{}',
});
export const result = (callId: string): JsonObject => ({
  type: 'function_call_result',
  callId,
  name: 'look_up',
  output: 'found',
});

/** A run of one turn. */
export function turn(text: string, runId?: string) {
  const items = [user(text), assistant(`You said: ${text}`)];
  return { status: 'completed' as const, items, ...(runId === undefined ? {} : { runId }) };
}
