import { newStemmer, type Stemmer } from 'snowball-stemmers';
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

/**
 * English words whose forms no stemmer brings together, because they change inside; the base form first. Verbs, then
 * nouns, then comparatives. Where a form is also a common word of its own ("left", "saw", "found"), it stands here if
 * the verb is the likelier reading in what people tell; otherwise it doesn't ("rose", "bit", "leaves", "lives").
 */
const FORMS = `
  become became; begin began begun; blow blew blown; break broke broken; bring brought; build built;
  buy bought; catch caught; choose chose chosen; come came; deal dealt; dig dug; draw drew drawn; drink drank drunk;
  drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; fly flew flown;
  forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone;
  grow grew grown; hear heard; hide hid hidden; hold held; keep kept; know knew known; learn learnt;
  leave left; lend lent; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden; ring rang rung;
  run ran; say said; see saw seen; sell sold; send sent; shake shook shaken; shoot shot;
  show shown; sing sang sung; sit sat; sleep slept; speak spoke spoken; spend spent; stand stood; steal stole stolen;
  stick stuck; strike struck; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told;
  think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn; win won; write wrote written;
  child children; foot feet; half halves; knife knives; man men; mouse mice; person people;
  shelf shelves; tooth teeth; wife wives; wolf wolves; woman women; bad worse worst; good better best`;

/** By form: its base form. */
function readIrregularForms(): ReadonlyMap<string, string> {
  const bases = new Map<string, string>();
  for (const forms of FORMS.split(';')) {
    const [base = '', ...others] = forms.trim().split(' ');
    for (const other of others) bases.set(other, base);
  }
  return bases;
}
