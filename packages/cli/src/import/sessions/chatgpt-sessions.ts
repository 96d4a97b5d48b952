import type { JsonObject } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { chatgpt, isUtterance, partsOf, pathTo } from '../formats/chatgpt.ts';
import type { Format, UnknownObject } from '../formats/format.ts';
import { conversationName } from '../formats/titles.ts';
import { callItem, messageItem, resultItem } from './items.ts';
import { sessionId } from './session-id.ts';

/** The conversations of a ChatGPT export, with their tool calls. */
export const chatgptSessions: Format = {
  ...chatgpt,
  *read(conversation, place) {
    const { mapping, title, create_time, conversation_id, id = conversation_id } = conversation;
    const name = conversationName({ id, title, time: create_time }, place);
    const path = pathTo(conversation.current_node, mapping as UnknownObject);
    yield { place, session: { id: sessionId('chatgpt', name), items: itemsOf(path) } };
  },
};

function itemsOf(path: readonly [key: string, message: UnknownObject][]): JsonObject[] {
  const items: JsonObject[] = [];
  let open: { readonly callId: string; readonly name: string } | undefined;
  for (const [key, message] of path) {
    const { author, recipient, content } = message;
    const role = isObject(author) ? author.role : undefined;
    if (isUtterance(message)) {
      const text = partsOf(content as UnknownObject);
      if (text.trim() !== '') items.push(messageItem(role as string, text));
    } else if (role === 'assistant' && typeof recipient === 'string' && recipient !== 'all') {
      open = { callId: key, name: recipient };
      items.push(callItem(key, recipient, textIn(content)));
    } else if (role === 'tool' && open !== undefined) {
      items.push(resultItem(open.callId, open.name, textIn(content)));
      open = undefined;
    }
  }
  return items;
}

/** The text of a call or a result: code, output, or parts. */
function textIn(content: unknown): string {
  if (!isObject(content)) return '';
  if (typeof content.text === 'string') return content.text;
  return Array.isArray(content.parts) ? partsOf(content) : '';
}
