import { bestPassage, type Excerpt } from '../best-passage.ts';
import type { MemoryEntry } from '../memory-store.ts';
import { plainWords } from './plain-text.ts';

/** A shorter part, in UTF-16 units, tells a model too little. */
const MIN_PART = 80;

/**
 * What is shown of an entry: all of it where it is short, else its excerpt, or, of a store that gives none, the passage
 * that has most words of the query.
 */
export function shownPart({ content, excerpt }: MemoryEntry, query: string): Excerpt {
  return excerpt ?? passageFor(content, query) ?? { text: content, start: 0, end: content.length };
}

/** Whether there is more of an entry than a part shows. */
export function isPart({ content }: MemoryEntry, { start, end }: Excerpt): boolean {
  return end - start < content.trim().length;
}

/**
 * The beginning of a part, as much of it as takes no more than some tokens; `undefined` where that is too little to tell
 * anything.
 *
 * @param tokens - Counts the tokens that showing a part takes.
 */
export function shortened(part: Excerpt, maxTokens: number, tokens: (part: Excerpt) => number): Excerpt | undefined {
  let shown = part;
  for (let taken = tokens(shown); taken > maxTokens; taken = tokens(shown)) {
    // A little less than its share: what stands around it takes tokens, too.
    const length = Math.floor(Math.min(shown.text.length * (maxTokens / taken), shown.text.length - 1) * 0.95);
    if (length < MIN_PART) return undefined;
    shown = cutTo(shown, length);
  }
  return shown;
}

/** At the last space, where there is one near the end. */
function cutTo({ text, start }: Excerpt, length: number): Excerpt {
  const space = text.lastIndexOf(' ', length);
  const cut = text
    .slice(0, space > 0.8 * length ? space : length)
    .trimEnd()
    .toWellFormed();
  return { text: cut, start, end: start + cut.length };
}

function passageFor(content: string, query: string): Excerpt | undefined {
  const wanted = new Set(plainWords(query));
  // Longer words are rarer, and tell more.
  return bestPassage(content, (part) =>
    plainWords(part).flatMap((word) => (wanted.has(word) ? [[word, word.length] as const] : [])),
  );
}
