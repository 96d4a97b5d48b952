const NOT_ASCII = /[\u0080-\uffff]/;
// With the halfwidth voicing marks, letters that NFKC turns into marks.
const LONG_MARK_RUN = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const INVISIBLE = /\u00ad|\u200c|\u200d|\u2060|\ufeff/g;
const APOSTROPHES = /[\u2018\u2019\u02bc]/g;
const HYPHENS = /[\u2010\u2011]/g;

/**
 * The one spelling that all spellings of a text share: NFKC, case folded, plain apostrophes and hyphens, no invisible
 * joiners, Russian ё as е (the stemmer and most writers take them for one letter).
 *
 * Of more than 30 combining marks in a row only 30 stay, the limit that Unicode itself sets for text in a stream
 * (UAX #15, Stream-Safe Text Format): normalising sorts each run of marks, in quadratic time.
 */
export function normalise(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return text
    .replace(LONG_MARK_RUN, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .replace(INVISIBLE, '')
    .replace(APOSTROPHES, "'")
    .replace(HYPHENS, '-')
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
    .replaceAll('ё', 'е');
}

// Marks of no script of their own: accents, but not the vowel signs of Indic scripts, which are letters to a reader.
// Those on Cyrillic letters stay (й is not и), but for the stress mark; so do the Japanese voicing marks.
const ACCENT = /(?<!\p{Script=Cyrillic})[[\p{M}&&\p{Script=Inherited}]--[\u3099\u309a]]|\u0301/gv;
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const UNDECOMPOSED_LETTER = new RegExp(`[${Object.keys(UNDECOMPOSED).join('')}]`, 'g');

/** A normalised word without its diacritics, so that `café` and `cafe` are one. Cyrillic й stays й. */
export function fold(word: string): string {
  if (!NOT_ASCII.test(word)) return word;
  return word
    .normalize('NFD')
    .replace(ACCENT, '')
    .normalize('NFC')
    .replace(UNDECOMPOSED_LETTER, (letter) => UNDECOMPOSED[letter] ?? letter);
}
