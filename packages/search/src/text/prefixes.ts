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
  if (ARABIC_ARTICLE.test(folded)) return [folded.replace(ARABIC_ARTICLE, '')];
  const prefixes = /^[\u05d0-\u05ea]/.test(folded) ? HEBREW : ARABIC;
  return [folded, ...prefixes.filter((prefix) => prefix.test(folded)).map((prefix) => folded.replace(prefix, ''))];
}
