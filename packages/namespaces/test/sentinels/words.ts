import { createHash } from 'node:crypto';

/** How many words each user writes on each path. */
export const WORDS = 10;

/** Words that occur nowhere else, with no common beginning: an index that stores sorted terms shortens those. */
export function wordsOf(user: string, path: string): string[] {
  return Array.from({ length: WORDS }, (_, n) => {
    const digest = createHash('sha256').update(`${user}\0${path}\0${n}`).digest();
    // Digits at the end keep a stemmer from changing it.
    return `${BigInt(`0x${digest.toString('hex')}`)
      .toString(36)
      .slice(1, 16)}90`;
  });
}

/** Which of the words occur in a text: as they are, in Base64, or as hexadecimal digits. */
export function wordsIn(text: string, words: readonly string[]): Set<string> {
  const wordOf = new Map(words.flatMap((word) => formsOf(word).map((form) => [form, word])));
  // What can be a word, each once: looking for hundreds of words in all megabytes of a storage takes minutes.
  const candidates = [...new Set(text.match(CANDIDATES))].join('\n');
  const found = new Set<string>();
  for (let at = 0; at + FORM_LENGTH <= candidates.length; at++) {
    const word = wordOf.get(candidates.slice(at, at + FORM_LENGTH));
    if (word !== undefined) found.add(word);
  }
  return found;
}

const FORM_LENGTH = 12;
const CANDIDATES = new RegExp(`[\\w+/]{${FORM_LENGTH},}`, 'g');

/** The beginnings of what a word becomes. Base64 has three forms, by how many bytes precede the word. */
function formsOf(word: string): string[] {
  const bytes = Buffer.from(word);
  const inBase64 = [0, 1, 2].map((offset) => bytes.subarray(offset).toString('base64'));
  return [word, bytes.toString('hex'), ...inBase64].map((form) => form.slice(0, FORM_LENGTH));
}
