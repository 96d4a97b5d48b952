import { isObject } from '@keepsake/internal';
import { textOf } from '../../message-text.ts';
import type { Format, UnknownObject } from './format.ts';
import { isoTime } from './iso-time.ts';
import { placeInConversation, titleOf } from './titles.ts';
import { toFound } from './utterance.ts';

/** Conversations of a Claude export. */
export const claude: Format = {
  matches: ({ chat_messages }) => Array.isArray(chat_messages),
  *read({ uuid, name, created_at, chat_messages }, place) {
    for (const [index, message] of (chat_messages as unknown[]).entries()) {
      if (!isObject(message)) continue;
      const role = message.sender === 'human' ? 'user' : String(message.sender);
      const utterance = {
        conversation: `claude ${uuid ?? `${name} ${created_at}`}`,
        key: typeof message.uuid === 'string' ? message.uuid : [index],
        index,
        speaker: role,
        text: textIn(message),
        createdAt: isoTime(message.created_at) ?? isoTime(created_at),
        metadata: { role, ...titleOf(name) },
      };
      yield toFound(utterance, placeInConversation(place, name, index));
    }
  },
};

/** Prefers the text blocks of newer exports, because their `text` also mentions blocks of other types. */
function textIn({ content, text }: UnknownObject): string {
  const blocks = Array.isArray(content) ? content.filter((block) => isObject(block) && block.type === 'text') : [];
  return textOf(blocks) || textOf(text);
}
