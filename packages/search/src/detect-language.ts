import type { HeldLanguage } from './document-languages.ts';
import { LATIN_LANGUAGES, type LatinLanguage } from './language.ts';
import type { Token } from './token.ts';

/** What a text is taken for that does not say, where nothing is known of its neighbours. */
const FALLBACK: LatinLanguage = 'en';

/** So much another language is to lead by: a usual spelling gives about that, a word that three languages share too. */
const MIN_LEAD = 4;

/** Languages of a smaller share of the documents are not looked for unasked. */
const MIN_SHARE = 0.001;

/**
 * The language that most of a text's words in Latin letters speak for: by the words that build its sentences, by
 * everyday words, and by usual spellings. `otherwise` where they don't say clearly.
 */
export function detectLanguage(tokens: readonly Token[], otherwise = FALLBACK): LatinLanguage {
  return languageOf(scoresOf(tokens), otherwise);
}

/**
 * The languages to read a query in, at most three: its own first, then those of the documents that it is searched in. A
 * query that does not say is taken for one of that which most documents are in. A language of a few documents among
 * very many counts only where the query speaks for it: they may just be taken for that.
 */
export function detectLanguages(tokens: readonly Token[], held: readonly HeldLanguage[]): LatinLanguage[] {
  const scores = scoresOf(tokens);
  const main = languageOf(scores, held[0]?.language ?? FALLBACK);
  const others = held
    .filter(({ language, share }) => language !== main && (share >= MIN_SHARE || scoreOf(language, scores) > 0))
    .map(({ language }) => language);
  return [main, ...others.sort((a, b) => scoreOf(b, scores) - scoreOf(a, scores))].slice(0, 3);
}

/** How much the tokens speak for each of `LATIN_LANGUAGES`, in their order. */
function scoresOf(tokens: readonly Token[]): readonly number[] {
  const scores = [0, 0, 0, 0, 0, 0, 0];
  for (const { evidence } of tokens) {
    if (evidence === undefined) continue;
    for (let place = 0; place < evidence.length; place++) (scores[place] as number) += evidence[place] as number;
  }
  return scores;
}

function languageOf(scores: readonly number[], otherwise: LatinLanguage): LatinLanguage {
  let best = 0;
  for (let place = 1; place < scores.length; place++) {
    if ((scores[place] as number) > (scores[best] as number)) best = place;
  }
  const lead = (scores[best] as number) - scoreOf(otherwise, scores);
  return lead < MIN_LEAD ? otherwise : (LATIN_LANGUAGES[best] as LatinLanguage);
}

function scoreOf(language: LatinLanguage, scores: readonly number[]): number {
  return scores[LATIN_LANGUAGES.indexOf(language)] as number;
}
