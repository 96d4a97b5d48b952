import { expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import type { Language } from '../languages/language.ts';
import { analyserOf } from './analyser.ts';

export interface AnalyseOptions {
  /** The language of stop words and stemmer. @default Detected. */
  readonly language?: Language | undefined;
}

const OPTIONS: FieldNames<AnalyseOptions> = { language: true };

/**
 * The search terms of a text, in order, with repeats: lower case, without diacritics, stemmed, without stop words. A text of
 * only stop words ("who are you") keeps them, unstemmed, so that only a text without words gives `[]`.
 *
 * Numbers, dates and times are one term each as they are written (`2023-05-08`, `3.5`, `10:30`; `1,000` is `1000`), and so
 * are names with an apostrophe (`O'Neil` is `oneil`); possessives go (`Jon's` is `jon`). Hyphenated words are split and joined (`wi-fi` is
 * `wi`, `fi` and `wifi`), after a single letter only joined (`e-mail` is `email`). Signs stay on one-letter names: `C++`, `C#`. Emoji are terms. Names in code,
 * phone numbers and Arabic and Hebrew words are followed by what they may be searched as: `getUserProfile` by its words,
 * `(555) 123-4567` by its digits, a word with prefixes by the word without them.
 *
 * Accepts any string, including lone surrogates and NUL. Runs in linear time. Of words longer than 64 UTF-16 units, only the
 * first 64 count.
 */
export function analyse(text: string, options: AnalyseOptions = {}): string[] {
  expectKnownFields(options, OPTIONS);
  const { terms, stopWords } = analyserOf(options.language).analyse(text);
  return [...(terms.length > 0 ? terms : stopWords)];
}
