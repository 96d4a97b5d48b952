import type { Message as NeutralMessage } from '@keepsake/core';
import { type InvokeModelContext, Message, TextBlock } from '@strands-agents/sdk';

/** Converts messages to the form of Keepsake, which the data of Strands messages already has. */
export function toMessages(messages: readonly Message[]): NeutralMessage[] {
  return messages.map((message) => message.toJSON());
}

/**
 * The context for the model call, if memory has added a text block at the end of a message. All other messages stay the same
 * objects.
 *
 * @param injected - The result of injecting into the messages of `context`.
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
  // Some providers join text blocks without a separator.
  const content = [...target.content, new TextBlock(`\n\n${added.text}`)];
  const message = new Message({ role, content, trackingId, ...(metadata && { metadata }) });
  // Ends the cached prefix here, because the next text may differ in the next call.
  const trailing = index === messages.length - 1 ? 1 : 0;
  return {
    ...context,
    messages: context.messages.with(index, message),
    dynamicTrailingBlocks: (context.dynamicTrailingBlocks ?? 0) + trailing,
  };
}
