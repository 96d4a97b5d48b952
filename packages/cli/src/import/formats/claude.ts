import { isObject } from '@keepsake/internal';
import { textOf } from '../../message-text.ts';
import type { FoundEntry } from '../found-entry.ts';
import type { Format, UnknownObject } from './format.ts';
import { isoTime } from './iso-time.ts';
import { plainText } from './plain-text.ts';
import { conversationName, placeInConversation, titleOf } from './titles.ts';
import { toFoundEntry, type Utterance } from './utterance.ts';

/** Conversations of a Claude export. */
export const claude: Format = {
  name: 'claude',
  matches: ({ chat_messages }) => Array.isArray(chat_messages),
  *read({ uuid, name, created_at, chat_messages }, place) {
    const conversation = conversationName({ id: uuid, title: name, time: created_at }, place);
    for (const [index, message] of (chat_messages as unknown[]).entries()) {
      if (!isObject(message)) continue;
      const at = placeInConversation(place, name, index);
      const role = message.sender === 'human' ? 'user' : plainText(message.sender, `${at}: the sender`);
      const utterance = {
        conversation: `claude ${conversation}`,
        key: typeof message.uuid === 'string' ? message.uuid : [index],
        index,
        speaker: role,
        text: textIn(message),
        createdAt: isoTime(message.created_at) ?? isoTime(created_at),
        metadata: { role, ...titleOf(name) },
      };
      yield toFoundEntry(utterance, at);
      yield* attachmentsOf(message, utterance, at);
    }
  },
};

/** The texts of attached files, each as a record beside its message. */
function* attachmentsOf({ attachments }: UnknownObject, utterance: Utterance, place: string): Iterable<FoundEntry> {
  for (const [number, attachment] of (Array.isArray(attachments) ? attachments : []).entries()) {
    if (!isObject(attachment) || typeof attachment.extracted_content !== 'string') continue;
    const { file_name, extracted_content } = attachment;
    const name = typeof file_name === 'string' && file_name !== '' ? file_name : 'attachment';
    const isBlank = extracted_content.trim() === '';
    const attached = {
      ...utterance,
      key: [utterance.key, 'attachment', number],
      text: isBlank ? '' : `${name}\n\n${extracted_content}`,
      metadata: { ...utterance.metadata, attachment: name },
    };
    yield toFoundEntry(attached, `${place}, attachment ${number + 1}`);
  }
}

/** Prefers the text blocks of newer exports, because their `text` also mentions blocks of other types. */
function textIn({ content, text }: UnknownObject): string {
  const blocks = Array.isArray(content) ? content.filter((block) => isObject(block) && block.type === 'text') : [];
  return textOf(blocks) || textOf(text);
}
