import type { Language } from '../languages/language.ts';

/** Spellings without letters that a keyboard lacks, and their normal form for the stemmer. */
const RESPELLINGS: { readonly [language in Language]?: readonly (readonly [RegExp, string])[] } = {
  // Not in "neue", "bauer", "quelle": there the vowels are two.
  de: [
    [/(?<![aeiouyäöüq])ue/g, 'ü'],
    [/(?<![aeiouyäöü])oe/g, 'ö'],
    [/(?<![aeiouyäöü])ae/g, 'ä'],
    // "hört", "spürt": the stemmer takes away what tells them from "Torte" and "Wort".
    [/(?<=[äöü]r)t$/, ''],
  ],
  es: [[/(?<=[cs])ion$/, 'ión']],
  pt: [
    [/cao$/, 'ção'],
    // The stemmer does not conflate these plurals with "ção" and "ão".
    [/[cç][oõ]es$/, 'ção'],
    [/[oõ]es$/, 'ão'],
  ],
};

/** `mueller` as `müller`, `cancion` as `canción`, `coracao` as `coração`. */
export function respell(word: string, language: Language): string {
  return (RESPELLINGS[language] ?? []).reduce((spelt, [from, to]) => spelt.replace(from, to), word);
}
