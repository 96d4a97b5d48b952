import { type ContentBlock, type Message, messageText } from '../../model/message.ts';
import { isChatter } from '../injection/small-talk.ts';
import { asksToForget } from './asks-to-forget.ts';

/** The default filter: what people and the assistant said, without tool calls and results. */
export function withoutTools(message: Message): Message | undefined {
  const { role, content } = message;
  if (role === 'tool') return undefined;
  if (typeof content === 'string') return message;
  const blocks = content.filter((block: ContentBlock) => !('toolUse' in block || 'toolResult' in block));
  return blocks.length === content.length ? message : { ...message, content: blocks };
}

/**
 * The default filter where messages themselves become memories: also without greetings, acknowledgements, the user's bare
 * questions, and what the user asks to forget. A question of the assistant stays, because it tells what the answer is about.
 */
export function worthKeeping(message: Message): Message | undefined {
  const said = withoutTools(message);
  const text = said === undefined ? '' : messageText(said).trim();
  const isOfUser = said?.role === 'user';
  return text !== '' && (isChatter(text, isOfUser) || (isOfUser && asksToForget(text))) ? undefined : said;
}

/** Whether a message is empty or blank. */
export function isEmptied({ content }: Message): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return content.every((block: ContentBlock) => 'text' in block && String(block.text).trim() === '');
}
