import { wordsOfScripts } from '../languages/words-of-scripts.ts';
import { fold } from './normalise.ts';

const ARABIC_OR_HEBREW = /^[\u05d0-\u05ea\u0621-\u064a]/;

/** The article and what merges with it: "the", "and the", "in the", "like the", "to the". */
const ARABIC_ARTICLE = /^[وف]?(?:[بك]?ال|لل)(?=...)/;
/** Conjunctions, prepositions, or one of each. */
const ARABIC = [/^[وفبكل](?=...)/, /^[وف][بكل](?=...)/];
/** Conjunctions, prepositions, the article: one letter, or several before a longer word. */
const HEBREW = [/^[ושהכלבמ](?=..)/, /^[ושהכלבמ]{2}(?=...)/, /^[ושהכלבמ]{3}(?=...)/];

/**
 * A word of Arabic or Hebrew, also without the prefixes that it may begin with. Only a dictionary could tell a prefix from a
 * first letter, so texts and queries have both, and the rarer one counts more. The Arabic article is certain enough to go.
 */
export function withoutPrefixes(word: string): string[] {
  if (!ARABIC_OR_HEBREW.test(word)) return [word];
  const folded = fold(word);
  if (wordsOfScripts().has(folded)) return [folded];
  if (/^[\u05d0-\u05ea]/.test(folded)) return [folded, ...without(folded, HEBREW)];
  if (ARABIC_ARTICLE.test(folded)) return [withoutEnding(folded.replace(ARABIC_ARTICLE, ''))];
  return [...new Set([folded, ...without(folded, ARABIC)].map(withoutEnding))];
}

function without(word: string, prefixes: readonly RegExp[]): string[] {
  return prefixes.filter((prefix) => prefix.test(word)).map((prefix) => word.replace(prefix, ''));
}

/** The feminine, dual and plural endings and attached pronouns of Arabic, from words of at least three other letters. */
const ARABIC_ENDING = /(?<=...)(?:هما|كما|تها|ها|هم|هن|نا|كم|ات|ان|ون|ين|يه|ية|ته|تي|ه|ة|ي|ت)$/;

function withoutEnding(word: string): string {
  return word.replaceAll('ى', 'ي').replace(ARABIC_ENDING, '');
}
