import type { ContentBlock, Message } from '../../model/message.ts';

/** The default filter: what people and the assistant said, without tool calls and results. */
export function withoutTools(message: Message): Message | undefined {
  const { role, content } = message;
  if (role === 'tool') return undefined;
  if (typeof content === 'string') return message;
  const blocks = content.filter((block: ContentBlock) => !('toolUse' in block || 'toolResult' in block));
  return blocks.length === content.length ? message : { role, content: blocks };
}

/** Whether a message is empty or blank. */
export function isEmptied({ content }: Message): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return content.every((block: ContentBlock) => 'text' in block && String(block.text).trim() === '');
}
