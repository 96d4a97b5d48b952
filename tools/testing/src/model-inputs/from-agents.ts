import type { Fields } from './fields.ts';
import type { ResponsesItem } from './responses.ts';

/** Items of the OpenAI Agents SDK as it sends them. A request for an approval stays between the SDK and the application. */
export function agentsToResponses(items: readonly Fields[]): ResponsesItem[] {
  return items.flatMap((item): ResponsesItem[] => {
    const { type, callId, providerData, ...rest } = item;
    if (type === 'tool_approval_item') return [];
    if (type === 'hosted_tool_call') return [{ ...rest, ...providerData }];
    return [{ ...rest, type: type?.replace(/_call_result$/, '_call_output'), ...(callId && { call_id: callId }) }];
  });
}
