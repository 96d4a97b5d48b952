import type { Language } from '../languages/language.ts';
import { withoutPrefixes } from './prefixes.ts';

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
