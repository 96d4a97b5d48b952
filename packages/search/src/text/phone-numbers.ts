/** Groups of digits with what people put between those of a phone number. What follows must not continue a number or a time. */
const GROUPS = /\d{1,6}(?:[ ()./-]{1,3}\d{1,6}){1,7}(?![\p{L}\d:]|[.,/-]\d)/uy;
const PHONE = /^[\d ()./-]+$/;
const DATE = /^(?:\d{4}([-./])\d{1,2}\1\d{1,2}|\d{1,2}([-./])\d{1,2}\2(?:\d{4}|\d{2}))(?![-./]?\d)/;
const DECIMAL = /^\d+\.\d+$/;
const YEARS = /^[12]\d{3}[-/ ][12]\d{3}$/;
/** A list of small numbers has neither. */
const LONG_GROUP_OR_ZERO = /\d{3}|^0/;

/** The digits of a phone number that is written in groups at `start`, and where it ends. */
export function phoneNumberAt(
  text: string,
  start: number,
): { readonly digits: string; readonly end: number } | undefined {
  GROUPS.lastIndex = start;
  const [number] = GROUPS.exec(text) ?? [];
  return number === undefined ? undefined : { digits: digitsOf(number), end: start + number.length };
}

/** The digits of a phone number without its separators, or the empty text if it is none, such as a date. */
export function digitsOf(number: string): string {
  const digits = number.replace(/\D/g, '');
  const isPhone = digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS && digits.length < number.length;
  return isPhone &&
    PHONE.test(number) &&
    LONG_GROUP_OR_ZERO.test(number) &&
    !DATE.test(number) &&
    !DECIMAL.test(number) &&
    !YEARS.test(number)
    ? digits
    : '';
}

/** A local number has 7 digits; the longest international one has 15 (ITU-T E.164). */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
const MAX_LOCAL = 7;

/**
 * The last digits of a number that is long enough for a prefix of its country or area, or the empty text: `+41 44 123 45 67` and
 * `044 123 45 67` both end with `1234567`.
 */
export function localNumberOf(digits: string): string {
  return LONG_NUMBER.test(digits) ? digits.slice(-MAX_LOCAL) : '';
}

const LONG_NUMBER = /^\d{9,15}$/;
