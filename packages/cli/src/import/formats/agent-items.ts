import type { UnknownObject } from './format.ts';

/** The types of items in a history of the OpenAI Agents SDK, and of the Responses API, that are no messages. */
const TYPES =
  /^(reasoning|compaction|item_reference|unknown|function_call|.*_call|.*_call_(result|output)|mcp_.*|tool_search_.*|program(_output)?)$/;

/** Whether a value is an item of the OpenAI Agents SDK that is no message, such as a tool call. */
export function isToolItem({ type, role }: UnknownObject): boolean {
  return role === undefined && typeof type === 'string' && TYPES.test(type);
}
