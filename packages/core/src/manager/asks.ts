import type { ContentBlock, Message } from '../message.ts';

/** Whether the user asks or tells something. What a tool gave back also comes as the user's in some frameworks. */
export function isAsk({ role, content }: Message): boolean {
  if (role !== 'user') return false;
  return typeof content === 'string' ? content.trim() !== '' : content.length > 0 && !content.some(isToolResult);
}

function isToolResult(block: ContentBlock): boolean {
  return 'toolResult' in block;
}
