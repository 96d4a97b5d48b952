import { analyse } from '@keepsake/search';

/** The words in the texts that Keepsake treats as stop words, for its peers. */
export function stopWordsAmong(texts: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const text of texts) for (const word of wordsOf(text)) words.add(word);
  return new Set([...words].filter((word) => analyse(`${word} ${CONTENT}`).length === 1));
}

/** The words of a text in lower case, as most peers split them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const CONTENT = 'zebra';
