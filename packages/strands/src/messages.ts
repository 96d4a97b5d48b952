import type { Message as NeutralMessage } from '@keepsake/core';
import { type InvokeModelContext, Message, TextBlock } from '@strands-agents/sdk';

/** Messages as memory reads them. The data of Strands is that form already. */
export function toMessages(messages: readonly Message[]): NeutralMessage[] {
  return messages.map((message) => message.toJSON());
}

/** What a model is to be called with, with a text at the end of the last message of the user, and all before it as is. */
export function withBlock(context: InvokeModelContext, block: string): InvokeModelContext {
  const index = context.messages.findLastIndex(({ role }) => role === 'user');
  const asked = context.messages[index];
  if (asked === undefined) return context;
  // Some providers join text blocks without anything between them.
  const content = [...asked.content, new TextBlock(`\n\n${block}`)];
  const { role, trackingId, metadata } = asked;
  const messages = context.messages.with(
    index,
    new Message({ role, content, trackingId, ...(metadata && { metadata }) }),
  );
  // Tells providers to end their cached prefix before a text that may differ in the next call.
  const appended = index === messages.length - 1 ? 1 : 0;
  return { ...context, messages, dynamicTrailingBlocks: (context.dynamicTrailingBlocks ?? 0) + appended };
}
