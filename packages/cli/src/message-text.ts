import { isObject } from '@keepsake/internal';

/** The text of a message's content: a string, or the text of its blocks; `''` if there is none. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) => (isObject(block) && typeof block.text === 'string' && block.text !== '' ? [block.text] : []))
    .join('\n');
}
