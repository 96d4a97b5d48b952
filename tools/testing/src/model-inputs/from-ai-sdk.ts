import type { ClaudeTurn } from './anthropic.ts';
import type { ChatTurn } from './chat.ts';
import type { Fields } from './fields.ts';
import type { GeminiTurn } from './gemini.ts';
import type { ResponsesItem } from './responses.ts';

/* Messages of the AI SDK as its providers send them. Approvals stay between the SDK and the application. */

interface AiSdkMessage {
  readonly role: string;
  readonly content: string | readonly Fields[];
}

/** Hosted tools are items without a separate result. */
export function aiSdkToResponses(messages: readonly AiSdkMessage[]): ResponsesItem[] {
  return messages.flatMap((message): ResponsesItem[] => {
    const { role } = message;
    const parts = partsOf(message);
    if (role === 'tool') return parts.map(({ toolCallId: call_id }) => ({ type: 'function_call_output', call_id }));
    if (role !== 'assistant') return [{ type: 'message', role, content: parts }];
    return parts.flatMap((part): ResponsesItem[] => {
      const id = part.providerOptions?.openai?.itemId;
      if (part.type === 'tool-result') return [];
      if (part.type === 'reasoning') return [{ type: 'reasoning', id }];
      if (part.type !== 'tool-call') return [{ type: 'message', role, id, content: [part] }];
      if (part.providerExecuted) return [{ type: 'web_search_call', id }];
      return [{ type: 'function_call', id, call_id: part.toolCallId }];
    });
  });
}

/** Reasoning and hosted tools are left out. */
export function aiSdkToChat(messages: readonly AiSdkMessage[]): ChatTurn[] {
  return messages.flatMap((message): ChatTurn[] => {
    const { role } = message;
    const parts = partsOf(message);
    if (role === 'tool') return parts.map(({ toolCallId }) => ({ role, tool_call_id: toolCallId, content: 'found' }));
    if (role !== 'assistant') return [{ role, content: parts }];
    const calls = parts.filter(({ type, providerExecuted }) => type === 'tool-call' && !providerExecuted);
    // The provider sends '' if there is no text.
    return [
      {
        role,
        content: parts.map(({ text = '' }) => text).join(''),
        tool_calls: calls.map(({ toolCallId }) => ({ id: toolCallId })),
      },
    ];
  });
}

/** Results are in messages of the user, and the calls of a message at its end, or before the next thoughts. */
export function aiSdkToAnthropic(messages: readonly AiSdkMessage[]): ClaudeTurn[] {
  return messages.map((message) => {
    const blocks = partsOf(message).map((part): Fields => {
      if (part.type === 'reasoning') return { type: 'thinking', thinking: part.text };
      if (part.type === 'tool-call')
        return { type: part.providerExecuted ? 'server_tool_use' : 'tool_use', id: part.toolCallId };
      if (part.type !== 'tool-result') return part;
      const type = message.role === 'tool' ? 'tool_result' : 'web_search_tool_result';
      return { type, tool_use_id: part.toolCallId };
    });
    return { role: message.role === 'tool' ? 'user' : message.role, content: blocks };
  });
}

/** Instructions are a field of their own. The hosted tool of Gemini runs code. */
export function aiSdkToGemini(messages: readonly AiSdkMessage[]): GeminiTurn[] {
  return messages
    .filter(({ role }) => role !== 'system')
    .map((message) => ({
      role: message.role === 'assistant' ? 'model' : 'user',
      parts: partsOf(message).flatMap((part): Fields[] => {
        if (message.role === 'tool') return [{ functionResponse: { id: part.toolCallId } }];
        if (part.type === 'tool-result') return [{ codeExecutionResult: {} }];
        if (part.type === 'tool-call')
          return [part.providerExecuted ? { executableCode: {} } : { functionCall: { id: part.toolCallId } }];
        if (part.type === 'text' || part.type === 'reasoning') return part.text === '' ? [] : [{ text: part.text }];
        return part.type === 'file' ? [{ inlineData: {} }] : [];
      }),
    }));
}

function partsOf({ content }: AiSdkMessage): readonly Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.filter(({ type }) => !/^tool-approval-/.test(type));
}
