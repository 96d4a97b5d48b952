import type { ClaudeTurn } from './anthropic.ts';
import type { ChatTurn } from './chat.ts';
import type { Fields } from './fields.ts';
import type { GeminiTurn } from './gemini.ts';
import type { ResponsesItem } from './responses.ts';

/* Messages of the AI SDK as its providers send them. Approvals of tools of the client stay between the SDK and the application. */

export interface AiSdkMessage {
  readonly role: string;
  readonly content: string | readonly Fields[];
}

/**
 * The prompt that the SDK makes of messages: it runs the calls that the last one decides about, and joins messages with
 * results.
 */
export function aiSdkPrompt(messages: readonly AiSdkMessage[]): AiSdkMessage[] {
  const prompt: { readonly role: string; content: string | readonly Fields[] }[] = [];
  for (const { role, content } of [...messages, { role: 'tool', content: ranCalls(messages) }]) {
    const last = prompt.at(-1);
    if (role === 'tool' && last?.role === 'tool')
      last.content = [...(last.content as Fields[]), ...content] as Fields[];
    else if (role !== 'tool' || content.length > 0) prompt.push({ role, content });
  }
  return prompt.filter((message) => message.role !== 'tool' || partsOf(message).length > 0);
}

/** Why the SDK itself refuses a prompt. */
export function aiSdkPromptFault(prompt: readonly AiSdkMessage[]): string | undefined {
  const open = new Set<string>();
  for (const [index, message] of prompt.entries()) {
    for (const { type, toolCallId, providerExecuted } of partsOf(message)) {
      if (type === 'tool-call' && !providerExecuted) open.add(toolCallId);
      if (type === 'tool-result' && message.role === 'tool') open.delete(toolCallId);
    }
    const { role } = prompt[index + 1] ?? { role: 'user' };
    if ((role === 'user' || role === 'system') && open.size > 0)
      return `Tool results are missing for tool calls ${[...open].join(', ')}.`;
  }
  return undefined;
}

/** The results of calls of the client that the last message decides about. */
function ranCalls(messages: readonly AiSdkMessage[]): Fields[] {
  const parts = messages.map(({ content }) => (typeof content === 'string' ? [] : content));
  const decided = (parts.at(-1) ?? []).filter(isOwnDecision).map(({ approvalId }) => approvalId);
  const answered = (parts.at(-1) ?? []).flatMap(({ type, toolCallId }) => (type === 'tool-result' ? toolCallId : []));
  return parts
    .flat()
    .filter(({ type, approvalId }) => type === 'tool-approval-request' && decided.includes(approvalId))
    .filter(({ toolCallId }) => !answered.includes(toolCallId))
    .map(({ toolCallId }) => ({ type: 'tool-result', toolCallId }));
}

/** Hosted tools are items without a separate result. */
export function aiSdkToResponses(messages: readonly AiSdkMessage[]): ResponsesItem[] {
  return messages.flatMap((message): ResponsesItem[] => {
    const { role } = message;
    const parts = partsOf(message);
    if (role === 'tool')
      return parts.map(({ type, toolCallId: call_id, approvalId }) =>
        type === 'tool-approval-response'
          ? { type: 'mcp_approval_response', approval_request_id: approvalId }
          : { type: 'function_call_output', call_id },
      );
    if (role !== 'assistant') return [{ type: 'message', role, content: parts }];
    return parts.flatMap((part): ResponsesItem[] => {
      const id = part.providerOptions?.openai?.itemId;
      if (part.type === 'reasoning') return [{ type: 'reasoning', id }];
      if (part.type === 'text') return [{ type: 'message', role, id, content: [part] }];
      if (part.type === 'custom') return [{ type: 'compaction', id }];
      if (part.type === 'tool-approval-request') return [{ type: 'mcp_approval_request', id: part.approvalId }];
      if (part.type !== 'tool-call') return [];
      if (!part.providerExecuted) return [{ type: 'function_call', id, call_id: part.toolCallId }];
      // The provider refers to them by their ids alone.
      return id === undefined ? [] : [{ type: 'web_search_call', id }];
    });
  });
}

/** Reasoning and hosted tools are left out. */
export function aiSdkToChat(messages: readonly AiSdkMessage[]): ChatTurn[] {
  return messages.flatMap((message): ChatTurn[] => {
    const { role } = message;
    const parts = partsOf(message);
    if (role === 'tool')
      return parts
        .filter(({ type }) => type === 'tool-result')
        .map(({ toolCallId }) => ({ role, tool_call_id: toolCallId, content: 'found' }));
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

/**
 * Results are in messages of the user, and the calls of a message at its end, or before the next thoughts. There are no
 * approvals of hosted tools: the place of a call that waits for one is taken by a text.
 */
export function aiSdkToAnthropic(messages: readonly AiSdkMessage[]): ClaudeTurn[] {
  return messages.map((message) => {
    const parts = partsOf(message);
    const waits = (id: string) =>
      parts.some(({ type, toolCallId }) => type === 'tool-approval-request' && toolCallId === id) &&
      !parts.some(({ type, toolCallId }) => type === 'tool-result' && toolCallId === id);
    const blocks = withoutApprovals(parts).map((part): Fields => {
      if (part.type === 'reasoning') return { type: 'thinking', thinking: part.text };
      if (part.type === 'tool-call' && waits(part.toolCallId)) return { type: 'text', text: 'A call' };
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
      parts: withoutApprovals(partsOf(message)).flatMap((part): Fields[] => {
        if (part.type === 'tool-result' && message.role === 'tool')
          return [{ functionResponse: { id: part.toolCallId } }];
        if (part.type === 'tool-result') return [{ codeExecutionResult: {} }];
        if (part.type === 'tool-call')
          return [part.providerExecuted ? { executableCode: {} } : { functionCall: { id: part.toolCallId } }];
        if (part.type === 'text' || part.type === 'reasoning') return part.text === '' ? [] : [{ text: part.text }];
        return /^(reasoning-)?file$|^image$/.test(part.type) ? [{ inlineData: {} }] : [];
      }),
    }));
}

/** The parts that the SDK gives to a provider. */
function partsOf({ content }: AiSdkMessage): readonly Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const hosted = content.flatMap(({ providerExecuted, toolCallId }) => (providerExecuted ? toolCallId : []));
  return content.filter(
    (part) => !isOwnDecision(part) && (part.type !== 'tool-approval-request' || hosted.includes(part.toolCallId)),
  );
}

/** Whether this is a decision about a call of a tool of the client. */
function isOwnDecision({ type, providerExecuted }: Fields): boolean {
  return type === 'tool-approval-response' && !providerExecuted;
}

/** Only the Responses API knows approvals of hosted tools: a text takes the place of a message with nothing else. */
function withoutApprovals(parts: readonly Fields[]): readonly Fields[] {
  const others = parts.filter(({ type }) => !/^tool-approval-/.test(type));
  return others.length > 0 ? others : parts.map(() => ({ type: 'text', text: 'A decision' }));
}
