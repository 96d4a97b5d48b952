import { analyserOf } from './analyser.ts';
import type { Language } from './language.ts';

export interface AnalyseOptions {
  /** Whose stop words are left out and whose stemmer is used. By default those of the language that the text seems to be in. */
  readonly language?: Language | undefined;
}

/**
 * The terms that a text is found by, in order, with repeats: lower case, without diacritics, stemmed, without stop
 * words. A text made only of stop words ("who are you") gives those, unstemmed, so that only a text without any word
 * gives `[]`.
 *
 * Numbers, dates and times are one term each as they are written (`2023-05-08`, `3.5`, `10:30`; `1,000` is `1000`),
 * and so are names with an apostrophe (`O'Neil` is `oneil`); possessives go (`Jon's` is `jon`). Hyphenated words are
 * taken apart unless a single letter leads (`e-mail` is `email`). Signs stay on one-letter names: `C++`, `C#`.
 *
 * Any string will do, lone surrogates and NUL included. The time is linear in its length. Words that are longer than
 * 64 UTF-16 units are told apart by the first 64 alone.
 */
export function analyse(text: string, options: AnalyseOptions = {}): string[] {
  const { terms, stopWords } = analyserOf(options.language).analyse(text);
  return terms.length > 0 ? terms : stopWords;
}
