import { isObject } from '@keepsake/internal';
import type { Format, UnknownObject } from './format.ts';
import { isoTime } from './iso-time.ts';
import { conversationName, placeInConversation, titleOf } from './titles.ts';
import { toFoundEntry } from './utterance.ts';

/**
 * Conversations of a ChatGPT export. Each is a tree of messages, because users can regenerate answers and edit questions.
 * The branch that the user last saw is the path from the root to `current_node`.
 */
export const chatgpt: Format = {
  name: 'chatgpt',
  matches: ({ mapping }) => isObject(mapping),
  *read(conversation, place) {
    const { mapping, title, create_time, conversation_id, id = conversation_id } = conversation;
    const name = conversationName({ id, title, time: create_time }, place);
    let index = 0;
    for (const [key, message] of pathTo(conversation.current_node, mapping as UnknownObject)) {
      if (!isUtterance(message)) continue;
      const role = (message.author as UnknownObject).role as string;
      const utterance = {
        conversation: `chatgpt ${name}`,
        key,
        index,
        speaker: role,
        text: partsOf(message.content as UnknownObject),
        createdAt: isoTime(message.create_time) ?? isoTime(create_time),
        metadata: { role, ...titleOf(title) },
      };
      yield toFoundEntry(utterance, placeInConversation(place, title, index++));
    }
  },
};

/** The messages from the root to the current node, or to the newest leaf if the export has no current node. */
export function pathTo(current: unknown, mapping: UnknownObject): [key: string, message: UnknownObject][] {
  const path: [string, UnknownObject][] = [];
  const seen = new Set<unknown>();
  let key = typeof current === 'string' && current in mapping ? current : newestLeaf(mapping);
  while (typeof key === 'string' && !seen.has(key)) {
    seen.add(key);
    const node: unknown = mapping[key];
    if (!isObject(node)) break;
    if (isObject(node.message)) path.push([key, node.message]);
    key = node.parent as string | undefined;
  }
  return path.reverse();
}

function newestLeaf(mapping: UnknownObject): string | undefined {
  const leaves = Object.entries(mapping).filter(
    ([, node]) => isObject(node) && !(Array.isArray(node.children) && node.children.length > 0),
  );
  return leaves.at(-1)?.[0];
}

const SPEAKERS: readonly unknown[] = ['user', 'assistant'];

/** Whether the user saw the message in the conversation, unlike instructions, tool calls and thinking. */
export function isUtterance({ author, content, metadata, recipient }: UnknownObject): boolean {
  if (!isObject(author) || !SPEAKERS.includes(author.role)) return false;
  if (isObject(metadata) && metadata.is_visually_hidden_from_conversation === true) return false;
  if (recipient !== undefined && recipient !== null && recipient !== 'all') return false;
  return isObject(content) && Array.isArray(content.parts);
}

/** The text of the parts, including transcriptions of audio. Images and files are skipped. */
export function partsOf({ parts }: UnknownObject): string {
  return (parts as unknown[])
    .flatMap((part) => {
      if (typeof part === 'string') return [part];
      const isSpoken = isObject(part) && part.content_type === 'audio_transcription';
      return isSpoken && typeof part.text === 'string' ? [part.text] : [];
    })
    .filter((text) => text.trim() !== '')
    .join('\n');
}
