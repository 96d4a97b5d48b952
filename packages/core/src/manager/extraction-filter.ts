import type { ContentBlock, Message } from '../message.ts';

/** What is looked at by default: all that people and the assistant said, and no calls and results of tools. */
export function withoutTools(message: Message): Message | undefined {
  const { role, content } = message;
  if (role === 'tool') return undefined;
  if (typeof content === 'string') return message;
  const blocks = content.filter((block: ContentBlock) => !('toolUse' in block || 'toolResult' in block));
  return blocks.length === content.length ? message : { role, content: blocks };
}

/** Whether nothing is left of a message, or nothing but blanks. */
export function isEmptied({ content }: Message): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return content.every((block: ContentBlock) => 'text' in block && String(block.text).trim() === '');
}
