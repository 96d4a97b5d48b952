import { DETECTED_LANGUAGES, type DetectedLanguage } from '../languages/language.ts';
import type { Token } from './token.ts';

/** The language of an ambiguous text without known neighbours. */
const FALLBACK: DetectedLanguage = 'en';

/** The lead that another language needs: about one typical spelling, or one word shared by three languages. */
const MIN_LEAD = 4;

/**
 * Detects the language of the words in Latin letters, by function words, common words and typical spellings. Returns
 * `otherwise` without clear evidence.
 */
export function detectLanguage(tokens: readonly Token[], otherwise = FALLBACK): DetectedLanguage {
  return languageOf(scoresOf(tokens), otherwise);
}

/**
 * The languages to analyse a query in: its own first, then those of the documents (`held`, most frequent first). The query's
 * language is one of these, the first if unclear. A single word is not enough: "car" is a function word in French, but not
 * in "car colour".
 */
export function detectLanguages(
  tokens: readonly Token[],
  held: readonly DetectedLanguage[],
): readonly DetectedLanguage[] {
  const [usual = FALLBACK] = held;
  const scores = scoresOf(tokens);
  const own = held.reduce((best, one) => (scoreOf(one, scores) > scoreOf(best, scores) ? one : best), usual);
  const leads = tokens.map(({ evidence }) => (evidence ? scoreOf(own, evidence) - scoreOf(usual, evidence) : 0));
  const lead = leads.reduce((sum, one) => sum + one, 0) - Math.max(0, ...leads);
  return lead < MIN_LEAD ? [usual, ...held.slice(1)] : [own, ...held.filter((language) => language !== own)];
}

/** The evidence of the tokens for each of `DETECTED_LANGUAGES`, in their order. */
function scoresOf(tokens: readonly Token[]): readonly number[] {
  const scores = [0, 0, 0, 0, 0, 0, 0, 0];
  for (const { evidence } of tokens) {
    if (evidence === undefined) continue;
    for (let place = 0; place < evidence.length; place++) (scores[place] as number) += evidence[place] as number;
  }
  return scores;
}

function languageOf(scores: readonly number[], otherwise: DetectedLanguage): DetectedLanguage {
  let best = 0;
  for (let place = 1; place < scores.length; place++) {
    if ((scores[place] as number) > (scores[best] as number)) best = place;
  }
  const lead = (scores[best] as number) - scoreOf(otherwise, scores);
  return lead < MIN_LEAD ? otherwise : (DETECTED_LANGUAGES[best] as DetectedLanguage);
}

function scoreOf(language: DetectedLanguage, scores: readonly number[]): number {
  return scores[DETECTED_LANGUAGES.indexOf(language)] as number;
}
