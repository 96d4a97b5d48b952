import { MemoryError } from '../errors.ts';
import { cloneJson } from '../json.ts';
import type { ContentBlock, Message } from '../message.ts';
import { ROLES } from '../message-records.ts';

/** A copy that shares nothing with a message. Blocks that JSON can't hold, such as bytes, are left out. */
export function copyMessage(message: Message, index: number): Message {
  const { role, content } = message ?? {};
  if (!ROLES.includes(role) || !(typeof content === 'string' || Array.isArray(content))) {
    throw new MemoryError(
      'INVALID_ARGUMENT',
      `Message ${index} that was observed is to be { role, content } with a role of ${ROLES.join(', ')}.`,
    );
  }
  if (typeof content === 'string') return { role, content };
  return { role, content: (content as readonly ContentBlock[]).flatMap(copyOfBlock) };
}

function copyOfBlock(block: ContentBlock): ContentBlock[] {
  try {
    return typeof block === 'object' && block !== null ? [cloneJson(block, 'block')] : [];
  } catch {
    return [];
  }
}
