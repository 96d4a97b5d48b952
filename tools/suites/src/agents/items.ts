import type { AgentInputItem, FunctionCallItem } from '@openai/agents';
import { functionCall } from '@openai/agents/testing';

/* Items of runs of the refund agent. */

export const asks = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content });

export const call = (callId: string, order: string): FunctionCallItem =>
  functionCall('refund', { order }, { callId, providerData: { signature: `of ${callId}` } });

/** A call as the runner stores it: without an item id. */
export function storedCall(callId: string, order: string): AgentInputItem {
  const { id: _, ...item } = call(callId, order);
  return item;
}

export const result = (callId: string, text: string): AgentInputItem => ({
  type: 'function_call_result',
  name: 'refund',
  callId,
  status: 'completed',
  output: { type: 'text', text },
});

/** Items as they are stored: without undefined fields. */
export const stored = (...items: AgentInputItem[]): AgentInputItem[] => JSON.parse(JSON.stringify(items));
