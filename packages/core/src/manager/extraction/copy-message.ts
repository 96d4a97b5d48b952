import { isObject } from '@keepsake/internal';
import { cloneJson } from '../../json/json.ts';
import { type ContentBlock, checkMessage, type Message } from '../../model/message.ts';

/** A deep copy of a message. Leaves out blocks that are not JSON, such as bytes. */
export function copyMessage(message: Message, index: number): Message {
  const { content, ...others } = checkMessage(message, `Message ${index} that was observed`);
  return { ...others, content: typeof content === 'string' ? content : content.flatMap(copyOfBlock) };
}

function copyOfBlock(block: ContentBlock): ContentBlock[] {
  try {
    return isObject(block) ? [cloneJson(block, 'block')] : [];
  } catch {
    return [];
  }
}
