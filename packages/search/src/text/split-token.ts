import type { Language } from '../languages/language.ts';
import { wordsOfScripts } from '../languages/words-of-scripts.ts';
import { fold } from './normalise.ts';

// Between digits, these belong to the number, date or time. Elsewhere, they end a sentence or separate a path.
const BORDER = /(?<!\p{Nd})[.,:/]|[.,:/](?!\p{Nd})/u;
const HYPHEN = /(?<!\p{Nd})-|-(?!\p{Nd})/u;
const INITIALS = /^\p{L}(?:\.\p{L})+$/u;
// A number with its unit or half of the day: "3.5km", "10:30am".
const NUMBER_AND_UNIT = /^(\d+(?:[.,:/-]\d+)+)(\p{L}.*)$/u;
/** Before a version: "v2.3.1". */
const VERSION = /^v(?=\d+(?:\.\d+)+$)/;
const HAS_JOINER = /['.,:/-]/;

const THOUSANDS_BY_COMMA = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const THOUSANDS_BY_POINT = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/;
const DECIMAL_COMMA = /^\d+,\d+$/;

/**
 * The words and numbers inside one token, apostrophes still in them.
 *
 * Hyphenated words are split (`well-known` is found by "known"), except after a single letter: `e-mail` is `email`, `x-ray`
 * is `xray`. Initials are one word: `p.m.` is `pm`. Numbers, dates, times and versions stay whole, without a `v` before them. Words of Arabic and Hebrew are
 * followed by what they are without prefixes.
 */
export function splitToken(token: string, language: Language): string[] {
  if (!HAS_JOINER.test(token)) return withoutPrefixes(token);
  if (INITIALS.test(token)) return [token.replaceAll('.', '')];
  return token.split(BORDER).flatMap((piece) => {
    const parts = piece.split(HYPHEN);
    if (parts.length > 1 && /^\p{L}$/u.test(parts[0] ?? '')) return [parts.join('')];
    return parts.flatMap((written) => {
      const part = written.replace(VERSION, '');
      const [, number = part, unit] = NUMBER_AND_UNIT.exec(part) ?? [];
      const plain = plainNumber(number, language);
      return unit === undefined ? withoutPrefixes(plain) : [plain, unit];
    });
  });
}

/** `1,000` as `1000`; in languages that write 1.000 and 3,5 also those, as `1000` and `3.5`. */
function plainNumber(part: string, language: Language): string {
  if (language === 'en' || language === 'none') {
    return THOUSANDS_BY_COMMA.test(part) ? part.replaceAll(',', '') : part;
  }
  if (THOUSANDS_BY_POINT.test(part)) return part.replaceAll('.', '').replace(',', '.');
  return DECIMAL_COMMA.test(part) ? part.replace(',', '.') : part;
}

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
function withoutPrefixes(word: string): string[] {
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
