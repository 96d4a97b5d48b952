import { isObject, type Unknown } from '../json-values.ts';
import type { Format } from './found.ts';
import { isoTime } from './iso-time.ts';
import { placeInConversation, titleOf } from './titles.ts';
import { toFound } from './utterance.ts';

/**
 * Conversations of a ChatGPT export: trees of messages, since answers can be asked for anew and questions edited. What
 * the user last saw is the path from the root to `current_node`.
 */
export const chatgpt: Format = {
  matches: ({ mapping }) => isObject(mapping),
  *read(conversation, place) {
    const { mapping, title, create_time, conversation_id, id = conversation_id } = conversation;
    const name = typeof id === 'string' && id !== '' ? id : `${title} ${create_time}`;
    let index = 0;
    for (const [key, message] of pathTo(conversation.current_node, mapping as Unknown)) {
      if (!isUtterance(message)) continue;
      const role = (message.author as Unknown).role as string;
      const utterance = {
        conversation: `chatgpt ${name}`,
        key,
        index,
        speaker: role,
        text: partsOf(message.content as Unknown),
        createdAt: isoTime(message.create_time) ?? isoTime(create_time),
        metadata: { role, ...titleOf(title) },
      };
      yield toFound(utterance, placeInConversation(place, title, index++));
    }
  },
};

/** The messages from the root to a node, or to the newest leaf where the export names none. */
function pathTo(current: unknown, mapping: Unknown): [key: string, message: Unknown][] {
  const path: [string, Unknown][] = [];
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

function newestLeaf(mapping: Unknown): string | undefined {
  const leaves = Object.entries(mapping).filter(
    ([, node]) => isObject(node) && !(Array.isArray(node.children) && node.children.length > 0),
  );
  return leaves.at(-1)?.[0];
}

const SPEAKERS: readonly unknown[] = ['user', 'assistant'];

/** What the user saw as said by one of the two: no instructions, no calls of tools, no thinking. */
function isUtterance({ author, content, metadata, recipient }: Unknown): boolean {
  if (!isObject(author) || !SPEAKERS.includes(author.role)) return false;
  if (isObject(metadata) && metadata.is_visually_hidden_from_conversation === true) return false;
  if (recipient !== undefined && recipient !== null && recipient !== 'all') return false;
  return isObject(content) && Array.isArray(content.parts);
}

/** The parts that are text; images and files are left out, and what was spoken stands as it was heard. */
function partsOf({ parts }: Unknown): string {
  return (parts as unknown[])
    .flatMap((part) => {
      if (typeof part === 'string') return [part];
      return isObject(part) && part.content_type === 'audio_transcription' ? [String(part.text ?? '')] : [];
    })
    .filter((text) => text.trim() !== '')
    .join('\n');
}
