import type { Message as NeutralMessage } from '@keepsake/core';
import { type InvokeModelContext, Message, TextBlock } from '@strands-agents/sdk';

/** Messages as memory reads them. The data of Strands is that form already. */
export function toMessages(messages: readonly Message[]): NeutralMessage[] {
  return messages.map((message) => message.toJSON());
}

/**
 * What a model is to be called with, where memory has added a text to the end of a message. All other messages stay the
 * objects that they are.
 *
 * @param injected - What came of the messages of `context`.
 */
export function withInjected(
  context: InvokeModelContext,
  messages: readonly NeutralMessage[],
  injected: readonly NeutralMessage[],
): InvokeModelContext {
  const index = injected.findIndex((message, place) => message !== messages[place]);
  const target = context.messages[index];
  const added = injected[index]?.content.at(-1);
  if (target === undefined || typeof added !== 'object' || !('text' in added)) return context;
  const { role, trackingId, metadata } = target;
  // Some providers join text blocks without anything between them.
  const content = [...target.content, new TextBlock(`\n\n${added.text}`)];
  const message = new Message({ role, content, trackingId, ...(metadata && { metadata }) });
  // Tells providers to end the prefix that they cache before a text that may differ in the next call.
  const trailing = index === messages.length - 1 ? 1 : 0;
  return {
    ...context,
    messages: context.messages.with(index, message),
    dynamicTrailingBlocks: (context.dynamicTrailingBlocks ?? 0) + trailing,
  };
}
