import { isObject } from '../is-object.ts';
import { cloneJson } from '../json.ts';
import { type ContentBlock, checkMessage, type Message } from '../message.ts';

/** A copy that shares nothing with a message. Blocks that JSON can't hold, such as bytes, are left out. */
export function copyMessage(message: Message, index: number): Message {
  const { role, content } = checkMessage(message, `Message ${index} that was observed`);
  return { role, content: typeof content === 'string' ? content : content.flatMap(copyOfBlock) };
}

function copyOfBlock(block: ContentBlock): ContentBlock[] {
  try {
    return isObject(block) ? [cloneJson(block, 'block')] : [];
  } catch {
    return [];
  }
}
