import type { Fields } from './fields.ts';

/* https://developers.openai.com/api/reference/resources/chat/subresources/completions */

/** A message of OpenAI's Chat Completions API. */
export interface ChatTurn {
  readonly role: string;
  readonly content?: string | readonly Fields[] | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** Why the Chat Completions API refuses the messages of a conversation; `undefined` if it accepts them. */
export function chatInputFault(messages: readonly ChatTurn[]): string | undefined {
  let open: string[] = [];
  for (const [index, { role, content, tool_calls = [], tool_call_id }] of messages.entries()) {
    if (role === 'tool') {
      if (tool_call_id === undefined || !open.includes(tool_call_id))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      open = open.filter((id) => id !== tool_call_id);
    } else if (open.length > 0) break;
    else open = tool_calls.map(({ id }) => id);
    const isEmpty = content === undefined || content === null || (typeof content !== 'string' && content.length === 0);
    if (isEmpty && tool_calls.length === 0) return `Invalid value for 'messages.[${index}].content': it is empty.`;
  }
  return open.length === 0
    ? undefined
    : `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}.`;
}
