import { WEIGHTS } from '../ranking/ranking-weights.ts';
import type { Word } from '../text/lexicon.ts';
import type { QueryWord } from './read-query.ts';
import { hasParts, mostSimilar, type SimilarTerm } from './term-grams.ts';

/** A word of the query, and in how many documents it is. */
export interface HeldWord extends Pick<QueryWord, 'forms'> {
  readonly held: number;
}

/** Terms that match inside a word of the query, and count as one. */
export interface InsideWord {
  readonly forms: readonly Word[];
  readonly weight: number;
  /** The minimum number of documents to assume, so that a rare part counts no more than the word. */
  readonly atLeast: number;
}

const STEMMED_SCRIPT = /^[\p{Script=Latin}\p{Script=Cyrillic}]/u;

/**
 * Whether to match inside a word. That is for words that are not enough: those that hardly any
 * document has, as typed wrongly or part of a compound, and those of a language whose word forms are not known.
 */
export function mayMatchInside({ forms, isRelatable, held }: HeldWord & Pick<QueryWord, 'isRelatable'>): boolean {
  if (!isRelatable || !forms.some(({ term, isStopWord }) => !isStopWord && hasParts(term))) return false;
  return held <= (isStemmed(forms) ? WEIGHTS.inside.few : WEIGHTS.inside.fewUnstemmed);
}

/** Whether the word forms of its language are known. */
function isStemmed(forms: readonly Word[]): boolean {
  return forms.every(({ term, language }) => language !== 'none' && STEMMED_SCRIPT.test(term));
}

/**
 * The terms similar to any form of a word, the most similar first. `similarTo` returns those that documents have and that are at
 * least so similar.
 */
export function similarTerms(
  word: HeldWord,
  similarTo: (term: string, least: number) => readonly SimilarTerm[],
): SimilarTerm[] {
  const least = tiersOf(word).at(-1)?.from ?? 0;
  const all = word.forms.flatMap(({ term, isStopWord }) => (isStopWord ? [] : similarTo(term, least)));
  const ownTerms = new Set(word.forms.map(({ term }) => term));
  return merged(all.filter(({ term }) => !ownTerms.has(term)));
}

/** Each term once, as similar as any of them says; only the most similar. */
export function merged(all: readonly SimilarTerm[]): SimilarTerm[] {
  const similar = new Map<string, number>();
  for (const { term, similarity } of all) similar.set(term, Math.max(similarity, similar.get(term) ?? 0));
  return mostSimilar(Array.from(similar, ([term, similarity]) => ({ term, similarity }))).slice(
    0,
    WEIGHTS.inside.terms,
  );
}

/** The tiers of the similar terms that count, the most similar first. */
function tiersOf({ forms, held }: HeldWord): readonly (typeof WEIGHTS.inside.tiers)[number][] {
  const { tiers } = WEIGHTS.inside;
  // A word that documents have needs no guesses, unless they may have other forms of it.
  return held === 0 || !isStemmed(forms) ? tiers : tiers.slice(0, 1);
}

/** The words to look up for a word of the query: its similar terms, by similarity, and what it adds to them. */
export function insideWords(word: HeldWord & Pick<QueryWord, 'weight'>, similar: readonly SimilarTerm[]): InsideWord[] {
  const { forms, weight, held } = word;
  const { instead, besides } = WEIGHTS.inside;
  const language = forms[0]?.language ?? 'none';
  const ofTiers = tiersOf(word).flatMap(({ from, below, share }) => {
    const terms = similar.filter(({ similarity }) => similarity >= from && similarity < below);
    if (terms.length === 0) return [];
    const words = terms.map(({ term }): Word => ({ term, isStopWord: false, language }));
    return [{ forms: words, weight: weight * share * (held === 0 ? instead : besides), atLeast: held }];
  });
  return [...ofTiers, ...restsOf(word, similar)];
}

/** Fewer letters are an ending. */
const MIN_REST = 3;

/**
 * What a word that no document has adds to a similar term that it begins with: "bike" after "cargo" in "cargobike". Most
 * rests are no words, so that no document has them.
 */
function restsOf(
  { forms, weight, held }: HeldWord & Pick<QueryWord, 'weight'>,
  similar: readonly SimilarTerm[],
): InsideWord[] {
  if (held > 0) return [];
  return forms.flatMap(({ term: word, isStopWord, language }) => {
    if (isStopWord) return [];
    const starts = similar.filter(({ term }) => term.length >= MIN_REST && word.startsWith(term));
    const rests = starts.map(({ term }) => word.slice(term.length)).filter(({ length }) => length >= MIN_REST);
    return rests.map((rest) => ({
      // The stem of a long word has lost an "e" that the stem of a short one keeps.
      forms: [rest, `${rest}e`].map((term) => ({ term, isStopWord: false, language })),
      weight: weight * WEIGHTS.inside.instead,
      atLeast: 0,
    }));
  });
}
