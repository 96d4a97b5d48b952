import type { Message as NeutralMessage } from '@keepsake/core';
import { type ContentBlock, type InvokeModelContext, Message, TextBlock } from '@strands-agents/sdk';

/** Text blocks that plugins have added to the input of a model and that don't belong to the conversation. */
const addedBlocks = new WeakSet<ContentBlock>();

/**
 * Converts messages to the form of Keepsake, which the data of Strands messages already has. Leaves out what plugins have
 * added to the input of a model.
 */
export function toMessages(messages: readonly Message[]): NeutralMessage[] {
  return messages.map(({ role, content }) => ({
    role,
    content: content.filter((block) => !addedBlocks.has(block)).map((block) => block.toJSON()),
  }));
}

/** Whether a message is from the user, and not a result of tools, which has the same role. */
export function isAsk({ role, content }: NeutralMessage): boolean {
  return role === 'user' && (typeof content === 'string' || !content.some((block) => 'toolResult' in block));
}

/**
 * The context for the model call, with a text block at the end of each message to which memory was added. All other messages
 * stay the same objects.
 *
 * @param injected - The result of injecting into the messages of `context`.
 * @param stays - Whether a text after a question is still there in the calls of later turns.
 */
export function withInjected(
  context: InvokeModelContext,
  messages: readonly NeutralMessage[],
  injected: readonly NeutralMessage[],
  stays: boolean,
): InvokeModelContext {
  const added = injected.map((message, index) => (message === messages[index] ? undefined : addedText(message)));
  if (added.every((text) => text === undefined)) return context;
  const copies = context.messages.map((message, index) => withText(message, added[index]));
  const { dynamicTrailingBlocks: dynamic = 0 } = context;
  // A text that changes from call to call ends the cached prefix. After tool results, every text does.
  const isDynamic = !stays || dynamic > 0 || context.messages.at(-1)?.content.some(isResult);
  const isTrailing = added.at(-1) !== undefined;
  return { ...context, messages: copies, ...(isDynamic && isTrailing && { dynamicTrailingBlocks: dynamic + 1 }) };
}

/** The text block that was added to a message. */
function addedText({ content }: NeutralMessage): string | undefined {
  const last = content.at(-1);
  return typeof last === 'object' && 'text' in last ? String(last.text) : undefined;
}

function withText(message: Message, text: string | undefined): Message {
  if (text === undefined) return message;
  const { role, content, trackingId, metadata } = message;
  // Some providers join text blocks without a separator.
  const block = new TextBlock(`\n\n${text}`);
  addedBlocks.add(block);
  return new Message({ role, content: [...content, block], trackingId, ...(metadata && { metadata }) });
}

function isResult({ type }: ContentBlock): boolean {
  return type === 'toolResultBlock';
}
