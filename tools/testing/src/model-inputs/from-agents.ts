import type { Fields } from './fields.ts';
import type { ResponsesItem } from './responses.ts';

/** Items of the OpenAI Agents SDK as it sends them. A request for an approval stays between the SDK and the application. */
export function agentsToResponses(items: readonly Fields[]): ResponsesItem[] {
  return items.flatMap((item): ResponsesItem[] => {
    const { type, callId, providerData, caller, name, ...rest } = item;
    if (type === 'tool_approval_item') return [];
    if (type === 'unknown') return [{ ...providerData, id: item.id }];
    // The SDK sends an approval without an id of the item.
    if (type === 'hosted_tool_call') return [{ ...rest, ...providerData, type: providerData.type ?? name }];
    const call_id = callId ?? (/^tool_search_/.test(type) ? providerData?.call_id : undefined);
    const by = caller && { caller: { ...caller, caller_id: caller.callerId } };
    return [{ ...rest, type: type?.replace(/_call_result$/, '_call_output'), ...by, ...(call_id && { call_id }) }];
  });
}
