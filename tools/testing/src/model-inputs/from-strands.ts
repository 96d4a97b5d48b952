import type { ClaudeTurn } from './anthropic.ts';
import type { ConverseTurn } from './bedrock.ts';
import type { ChatTurn } from './chat.ts';
import type { Fields } from './fields.ts';
import type { GeminiTurn } from './gemini.ts';

/* Messages of Strands as its models send them. */

interface StrandsMessage {
  readonly role: string;
  readonly content: readonly Fields[];
}

export function strandsToBedrock(messages: readonly StrandsMessage[]): ConverseTurn[] {
  return messages.map(({ role, content }) => ({
    role,
    content: content.map((block) => (block.reasoning ? { reasoningContent: block.reasoning } : block)),
  }));
}

/** Reasoning without a signature or its encrypted form is left out, and so are cache points, which are marks on blocks. */
export function strandsToAnthropic(messages: readonly StrandsMessage[]): ClaudeTurn[] {
  return messages.map(({ role, content }) => ({
    role,
    content: content.flatMap((block): Fields[] => {
      const { reasoning, toolUse, toolResult } = block;
      if (toolUse) return [{ type: 'tool_use', id: toolUse.toolUseId }];
      if (toolResult) return [{ type: 'tool_result', tool_use_id: toolResult.toolUseId }];
      if (reasoning?.redactedContent) return [{ type: 'redacted_thinking' }];
      if (reasoning) return reasoning.signature ? [{ type: 'thinking', thinking: reasoning.text }] : [];
      return block.cachePoint ? [] : [{ type: 'text', text: textOf(block) }];
    }),
  }));
}

export function strandsToGemini(messages: readonly StrandsMessage[]): GeminiTurn[] {
  return messages.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : 'user',
    parts: content.flatMap((block): Fields[] => {
      const { reasoning, toolUse, toolResult } = block;
      if (toolUse) return [{ functionCall: { id: toolUse.toolUseId } }];
      if (toolResult) return [{ functionResponse: { id: toolResult.toolUseId } }];
      if (reasoning) return reasoning.text ? [{ text: reasoning.text, thought: true }] : [];
      return block.cachePoint ? [] : [{ text: textOf(block) }];
    }),
  }));
}

/** Reasoning is left out, and results are messages before the rest of theirs. */
export function strandsToChat(messages: readonly StrandsMessage[]): ChatTurn[] {
  return messages.flatMap(({ role, content }) => {
    const texts = content.filter(({ reasoning, toolUse, toolResult, cachePoint }) => {
      return (reasoning ?? toolUse ?? toolResult ?? cachePoint) === undefined;
    });
    const calls = content.flatMap(({ toolUse }) => (toolUse ? [{ id: toolUse.toolUseId }] : []));
    const results = content.flatMap(({ toolResult }) =>
      toolResult ? [{ role: 'tool', tool_call_id: toolResult.toolUseId, content: 'found' }] : [],
    );
    const isResults = texts.length === 0 && results.length > 0;
    return [...results, ...(isResults ? [] : [{ role, content: texts, tool_calls: calls }])];
  });
}

/** A text takes the place of files and of what only Bedrock has. */
function textOf({ text = 'A file' }: Fields): string {
  return text;
}
