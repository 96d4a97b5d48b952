import type { Language } from '../languages/language.ts';

// Articles, pronouns and prepositions that lose their vowel before the next word.
const LEADING: { readonly [language in Language]?: RegExp } = {
  fr: /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=.)/,
  it: /^(?:[cdlmnstv]|gl|un|all|coll|dall|dell|nell|sull|quell|quest|anch|com|dov)'(?=.)/,
  pt: /^d'(?=.)/,
};
const POSSESSIVE = /'s$/;
const CONTRACTED = /'(?:s|m|d|re|ve|ll)$/;

/**
 * A word without its clitics: `jon's` is `jon`, English `we'll` is `we`, French `l'eau` is `eau`. An apostrophe inside a
 * name is dropped: `o'neil` is `oneil`.
 */
export function withoutClitics(word: string, language: Language): string {
  if (!word.includes("'")) return word;
  const leading = LEADING[language];
  const base = leading === undefined ? word : word.replace(leading, '');
  return base.replace(language === 'en' ? CONTRACTED : POSSESSIVE, '').replaceAll("'", '');
}
