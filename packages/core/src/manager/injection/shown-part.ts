import { characterStart } from '@keepsake/internal';
import { bestPassage, type Excerpt } from '../../store/best-passage.ts';
import type { MemoryEntry } from '../../store/memory-store.ts';
import { plainWords } from './plain-text.ts';

/** A shorter part, in UTF-16 units, says too little. */
const MIN_PART = 80;

/**
 * The shown part of an entry: all of it if short, else its excerpt or, if the store returns none, the passage with most
 * words of the query.
 */
export function shownPart({ content, excerpt }: MemoryEntry, query: string): Excerpt {
  return excerpt ?? passageFor(content, query) ?? { text: content, start: 0, end: content.length };
}

/** Whether an entry is longer than its shown part. */
export function isPart({ content }: MemoryEntry, { start, end }: Excerpt): boolean {
  return end - start < content.trim().length;
}

/**
 * The beginning of a part that fits into some tokens; `undefined` if that is too short to be useful.
 *
 * @param tokens - Counts the tokens of a shown part.
 */
export function shortened(part: Excerpt, maxTokens: number, tokens: (part: Excerpt) => number): Excerpt | undefined {
  let shown = part;
  for (let taken = tokens(shown); taken > maxTokens; taken = tokens(shown)) {
    // A little less than its share, because the markup takes tokens, too.
    const length = Math.floor(Math.min(shown.text.length * (maxTokens / taken), shown.text.length - 1) * 0.95);
    if (length < MIN_PART) return undefined;
    shown = cutTo(shown, length);
  }
  return shown;
}

/** Cuts at the last space, if one is near the end. */
function cutTo({ text, start }: Excerpt, length: number): Excerpt {
  const space = text.lastIndexOf(' ', length);
  const cut = text.slice(0, space > 0.8 * length ? space : characterStart(text, length)).trimEnd();
  return { text: cut, start, end: start + cut.length };
}

function passageFor(content: string, query: string): Excerpt | undefined {
  const wanted = new Set(plainWords(query));
  // Longer words are rarer and more specific.
  return bestPassage(content, (part) =>
    plainWords(part).flatMap((word) => (wanted.has(word) ? [[word, word.length] as const] : [])),
  );
}
