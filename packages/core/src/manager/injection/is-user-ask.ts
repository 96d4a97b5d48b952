import type { ContentBlock, Message } from '../../model/message.ts';

/** Whether this is a message of the user. Some frameworks also give tool results the role `user`. */
export function isAsk({ role, content }: Message): boolean {
  if (role !== 'user') return false;
  return typeof content === 'string' ? content.trim() !== '' : content.length > 0 && !content.some(isToolResult);
}

function isToolResult(block: ContentBlock): boolean {
  return 'toolResult' in block;
}
