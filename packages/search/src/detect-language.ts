import { LATIN_LANGUAGES, type LatinLanguage } from './language.ts';
import type { Token } from './token.ts';

/** What a text is taken for that does not say, where nothing is known of its neighbours. */
const FALLBACK: LatinLanguage = 'en';

/** So much another language is to lead by: a usual spelling gives about that, a word that three languages share too. */
const MIN_LEAD = 4;

/**
 * The language that most of a text's words in Latin letters speak for: by the words that build its sentences, by
 * everyday words, and by usual spellings. `otherwise` where they don't say clearly.
 */
export function detectLanguage(tokens: readonly Token[], otherwise = FALLBACK): LatinLanguage {
  return languageOf(scoresOf(tokens), otherwise);
}

/**
 * The languages to read a query in: its own first, then the others that documents are in, of which `held` names the most
 * frequent first. The query is in one of these; one that does not say, in the first. A single word does not say: "car"
 * builds sentences in French, and in "car colour" it doesn't.
 */
export function detectLanguages(tokens: readonly Token[], held: readonly LatinLanguage[]): readonly LatinLanguage[] {
  const [usual = FALLBACK] = held;
  const scores = scoresOf(tokens);
  const own = held.reduce((best, one) => (scoreOf(one, scores) > scoreOf(best, scores) ? one : best), usual);
  const leads = tokens.map(({ evidence }) => (evidence ? scoreOf(own, evidence) - scoreOf(usual, evidence) : 0));
  const lead = leads.reduce((sum, one) => sum + one, 0) - Math.max(0, ...leads);
  return lead < MIN_LEAD ? [usual, ...held.slice(1)] : [own, ...held.filter((language) => language !== own)];
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
