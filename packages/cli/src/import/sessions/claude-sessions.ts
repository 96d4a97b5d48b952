import { isObject } from '@keepsake/internal';
import { textOf } from '../../message-text.ts';
import { claude } from '../formats/claude.ts';
import type { Format, UnknownObject } from '../formats/format.ts';
import { plainText } from '../formats/plain-text.ts';
import { conversationName } from '../formats/titles.ts';
import { blockItems, type ToolNames } from './block-items.ts';
import { messageItem } from './items.ts';
import { sessionId } from './session-id.ts';

/** The conversations of a Claude export, with their tool calls, and attached texts as messages of the user. */
export const claudeSessions: Format = {
  ...claude,
  *read({ uuid, name, created_at, chat_messages }, place) {
    const conversation = conversationName({ id: uuid, title: name, time: created_at }, place);
    const names: ToolNames = new Map();
    const items = (chat_messages as unknown[]).flatMap((message, index) =>
      isObject(message) ? itemsOf(message, { names, index, place }) : [],
    );
    yield { place, session: { id: sessionId('claude', conversation), items } };
  },
};

function itemsOf(
  { sender, content, text, attachments, uuid }: UnknownObject,
  { names, index, place }: { readonly names: ToolNames; readonly index: number; readonly place: string },
) {
  const role = sender === 'human' ? 'user' : plainText(sender, `${place}, message ${index + 1}: the sender`);
  const id = typeof uuid === 'string' ? uuid : String(index);
  const blocks = Array.isArray(content) && content.length > 0 ? content : textOf(text);
  const attached = (Array.isArray(attachments) ? attachments : []).flatMap((attachment: unknown) => {
    if (!isObject(attachment) || typeof attachment.extracted_content !== 'string') return [];
    const { file_name, extracted_content } = attachment;
    if (extracted_content.trim() === '') return [];
    const title = typeof file_name === 'string' && file_name !== '' ? file_name : 'attachment';
    return [messageItem(role, `${title}\n\n${extracted_content}`)];
  });
  return [...attached, ...blockItems(role, blocks, { names, id, said: (said) => said })];
}
