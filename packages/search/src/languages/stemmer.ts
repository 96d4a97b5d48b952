import { newStemmer, type Stemmer } from 'snowball-stemmers';
import { readIrregularForms } from './irregular-forms.ts';
import type { Language } from './language.ts';

const ALGORITHMS: Record<Exclude<Language, 'none'>, string> = {
  de: 'german',
  en: 'english',
  es: 'spanish',
  fr: 'french',
  it: 'italian',
  nl: 'dutch',
  pt: 'portuguese',
  ru: 'russian',
};

/** Common forms that the algorithms don't conflate. */
const FINISHES: { readonly [language in Language]?: readonly (readonly [RegExp, string])[] } = {
  // Freundinnen, arbeitet; lebt, macht, kauft, hört, heißt, trinkt and the like, not Gast, Markt, Punkt.
  de: [
    [/inn$/, 'in'],
    [/(?<=[aeiou].*[td])et$/, ''],
    [/iert$/, 'i'],
    [/(?<=.(?:[bg]|[aei]nk|[ei]rk|ein)|..(?:ch|ck|f|hn|hr|l|mm|nn|nz|pp|rn|ss|tz|[ei]h))(?<!^leich)t$/, ''],
  ],
  // Amis, amies.
  fr: [[/(?<=..[aiou])s$/, '']],
  // Meisjes; huizen, huis; leven, leeft.
  nl: [
    [/(?<=.j)es$/, ''],
    [/z$/, 's'],
    [/v$/, 'f'],
  ],
};

const KEPT: Stemmer = { stem: (word) => word };

/** The Snowball stemmer of a language with additions. Takes lower case with diacritics. */
export function stemmerOf(language: Language): Pick<Stemmer, 'stem'> {
  if (language === 'none') return KEPT;
  const stemmer = newStemmer(ALGORITHMS[language]);
  if (language === 'en') return englishStemmer(stemmer);
  const finishes = FINISHES[language];
  if (finishes === undefined) return stemmer;
  return { stem: (word) => finishes.reduce((stem, [from, to]) => stem.replace(from, to), stemmer.stem(word)) };
}

function englishStemmer(stemmer: Stemmer): Pick<Stemmer, 'stem'> {
  const bases = readIrregularForms();
  return { stem: (word) => stemmer.stem(bases.get(word) ?? word) };
}
