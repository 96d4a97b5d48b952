import { analyse } from '@keepsake/search';

/** Those of the words that Keepsake leaves out beside others: what its peers are told to leave out as well. */
export function stopWordsAmong(texts: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const text of texts) for (const word of wordsOf(text)) words.add(word);
  return new Set([...words].filter((word) => analyse(`${word} ${CONTENT}`).length === 1));
}

/** The words of a text in lower case, as most peers see them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const CONTENT = 'zebra';
