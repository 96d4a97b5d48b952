import type { Dialect } from './database.ts';
import { type Place, tokenOf } from './tokens.ts';

/** A tsvector is to stay below a megabyte. A text of so many different words is found by the first of them. */
const MOST_BYTES = 800_000;
/** A tsvector keeps no more positions of a word. */
const MOST_TIMES = 255;

/** What the column `words` holds of a text: the words of a tsvector, or those that FTS5 is to split at spaces. */
export function writeWords(dialect: Dialect, place: Place, terms: ReadonlyMap<string, number>): string {
  const parts: string[] = [];
  let bytes = 0;
  for (const [term, found] of terms) {
    const token = tokenOf(place, term);
    const times = Math.min(found, MOST_TIMES);
    bytes += token.length + 2 * times + 8;
    if (bytes > MOST_BYTES) break;
    parts.push(dialect === 'postgresql' ? lexeme(token, times) : `${token} `.repeat(times).trimEnd());
  }
  return parts.join(' ');
}

/** The positions of each word count from 1: they tell how often it comes, not where. */
function lexeme(token: string, times: number): string {
  return `'${token}':${Array.from({ length: times }, (_, place) => place + 1).join()}`;
}
