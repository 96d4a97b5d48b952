import { longWords } from './long-words.ts';
import type { Range } from './range.ts';

/** A shorter word holds no name with a value. */
const WORD = /(?<![\w+/-])[\w+/-]{24}[\w+/-]*={0,2}/g;
/** So much of a word tells whether it holds text: bytes that are readable by chance are rare. */
const BEGINNING = 24;
const READABLE = /^[\t\n\r\x20-\x7e]*$/;

/**
 * Words of Base64 (RFC 4648) that hold a text with a secret, such as a private key in PEM or a file of variables.
 *
 * @param find - Finds the secrets in the decoded text.
 */
export function findWrappedSecrets(text: string, find: (text: string) => readonly Range[]): Range[] {
  const ranges: Range[] = [];
  // They have all characters of Base64.
  for (const [start, end] of longWords(text)) {
    const run = text.slice(start, end);
    let at = 0;
    for (let match = wordFrom(run, at); match !== null; match = wordFrom(run, at)) {
      const { 0: word, index } = match;
      at = index + word.length;
      if (!READABLE.test(decoded(word.slice(0, BEGINNING)) ?? '\0')) continue;
      const inner = decoded(word);
      if (inner !== undefined && find(inner).length > 0) ranges.push([start + index, start + at]);
    }
  }
  return ranges;
}

/** The next word. Not by `matchAll`, which copies the pattern: that takes longer than to look for it in one run. */
function wordFrom(run: string, at: number): RegExpExecArray | null {
  WORD.lastIndex = at;
  return WORD.exec(run);
}

/** The bytes as characters, or `undefined` if it is no Base64. */
function decoded(word: string): string | undefined {
  try {
    return atob(word.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
}
