const NOT_ASCII = /[\u0080-\uffff]/;
// With the halfwidth voicing marks, letters that NFKC turns into marks.
const MARK = /[\p{M}\uff9e\uff9f]/u;
const MAX_MARKS = 30;
const MANY_MARKS = /[\p{M}\uff9e\uff9f]{31}/u;
// Soft hyphen, joiners and the Arabic letter stretcher.
const INVISIBLE = /\u00ad|\u0640|\u200c|\u200d|\u2060|\ufeff/g;
const APOSTROPHES = /[\u2018\u2019\u02bc]/g;
const HYPHENS = /[\u2010\u2011]/g;

/**
 * The normalized spelling of a text: NFKC, case-folded, plain apostrophes and hyphens, no invisible joiners, Russian ё as е
 * (the stemmer and most writers treat them as one letter).
 *
 * Keeps at most 30 combining marks in a row, the limit of Unicode's Stream-Safe Text Format (UAX #15), because normalization
 * sorts each run of marks in quadratic time.
 */
export function normalise(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return (MANY_MARKS.test(text) ? withFewerMarks(text) : text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(INVISIBLE, '')
    .replace(APOSTROPHES, "'")
    .replace(HYPHENS, '-')
    .replaceAll('ς', 'σ')
    .replaceAll('ё', 'е');
}

/** A loop, because a regular expression for runs of any length needs more stack for longer runs. */
function withFewerMarks(text: string): string {
  const kept: string[] = [];
  let start = 0;
  let end = 0;
  let marks = 0;
  for (const character of text) {
    marks = MARK.test(character) ? marks + 1 : 0;
    if (marks > MAX_MARKS) {
      if (end > start) kept.push(text.slice(start, end));
      start = end + character.length;
    }
    end += character.length;
  }
  return kept.join('') + text.slice(start);
}

// Marks of no script of their own: accents and Arabic vowels, but not the vowel signs of Indic scripts, which are
// letters to a reader; and the Hebrew points. Those on Cyrillic letters stay (й is not и), but for the stress mark; so do
// the Japanese voicing marks.
const ACCENT = /(?<!\p{Script=Cyrillic})[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}]]--[\u3099\u309a]]|\u0301/gv;
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
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
