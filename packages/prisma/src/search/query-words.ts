import type { Dialect } from '../database/dialect.ts';
import { indexTerm, type NamespaceKey } from '../stores/namespace-key.ts';

/** PostgreSQL refuses a tsvector of 1 MB. A text with more different words is found by the first of them. */
const MOST_BYTES = 800_000;
/** The most positions of a word that a tsvector keeps. */
const MOST_TIMES = 255;

/** The column `words` of a text: the text form of a tsvector, or words that FTS5 splits at spaces. */
export function writeWords(dialect: Dialect, namespace: NamespaceKey, terms: ReadonlyMap<string, number>): string {
  const parts: string[] = [];
  let bytes = 0;
  for (const [term, found] of terms) {
    const token = indexTerm(namespace, term);
    const times = Math.min(found, MOST_TIMES);
    bytes += token.length + 2 * times + 8;
    if (bytes > MOST_BYTES) break;
    parts.push(dialect === 'postgresql' ? lexeme(token, times) : `${token} `.repeat(times).trimEnd());
  }
  return parts.join(' ');
}

/** Numbers the positions of each word from 1: they tell how often it occurs, not where. */
function lexeme(token: string, times: number): string {
  return `'${token}':${POSITIONS[times - 1]}`;
}

/** For 1 occurrence and more: 1; 1,2; 1,2,3; and so on. */
const POSITIONS = Array.from({ length: MOST_TIMES }, (_, last) =>
  Array.from({ length: last + 1 }, (_, index) => index + 1).join(),
);
