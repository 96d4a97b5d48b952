import { Pauses } from '@keepsake/internal';
import type { DetectedLanguage, Language } from '../languages/language.ts';
import { MAX_QUERY_LENGTH } from './analyser.ts';
import { tokensOf } from './token.ts';

/**
 * Analyses a query in steps, so that its analysis takes little afterwards: the first one of a process reads lists of words and
 * prepares the stemmer of each language. Waits for nothing if the words are known.
 *
 * @param language that of all texts; `undefined` if it is detected
 * @param held the languages of the documents, if they are known
 */
export async function analyseAhead(
  query: string,
  language: Language | undefined,
  held: readonly DetectedLanguage[] = ['en'],
  pauses = new Pauses(),
): Promise<void> {
  const tokens = tokensOf(query.slice(0, MAX_QUERY_LENGTH));
  await pauses.afterStep();
  for (const one of language === undefined ? held : [language]) {
    for (const token of tokens) token.in(one);
    await pauses.afterStep();
  }
}
