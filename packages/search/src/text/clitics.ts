import type { Language } from '../languages/language.ts';

// Articles, pronouns and prepositions that lose their vowel before the next word.
const LEADING: { readonly [language in Language]?: RegExp } = {
  fr: /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=.)/,
  it: /^(?:[cdlmnstv]|gl|un|all|coll|dall|dell|nell|sull|quell|quest|anch|com|dov)'(?=.)/,
  pt: /^d'(?=.)/,
};
const POSSESSIVE = /'s$/;
const CONTRACTED = /'(?:s|m|d|re|ve|ll)$/;

const VOWEL = 'aeıioöuüâîû';
// The cases of Turkish, what may follow them, and the plural. Vowels are joined by y, n or s.
const TURKISH = new RegExp(
  `(?<=[${VOWEL}][^']*)'(?:[dt][ae](?:n|ki(?:l[ae]r)?|y[dt][ıiuü])?|[dt][ıiuü]r|l[ae]r(?:[ıi]n?|[ae]|d[ae]n?)?` +
    `|(?<=[^${VOWEL}]')(?:[ae]|[ıiuü]n?|l[ae])|(?<=[${VOWEL}]')(?:y(?:[ae]|[ıiuü]|l[ae])|n(?:[ae]|[ıiuü]n?|d[ae](?:n|ki)?)))$`,
);

/**
 * A word without its clitics: `jon's` is `jon`, English `we'll` is `we`, French `l'eau` is `eau`, and in any
 * language Turkish `ankara'da` is `ankara`. An apostrophe inside a name is dropped: `o'neil` is `oneil`.
 */
export function withoutClitics(word: string, language: Language): string {
  if (!word.includes("'")) return word;
  const leading = LEADING[language];
  const base = leading === undefined ? word : word.replace(leading, '');
  return base
    .replace(language === 'en' ? CONTRACTED : POSSESSIVE, '')
    .replace(TURKISH, '')
    .replaceAll("'", '');
}
