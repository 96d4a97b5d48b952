/* Secrets are put together here, so that scanners of source code don't take this file for a leak. */

export const DIGITS = '0123456789';
export const HEX = `${DIGITS}abcdef`;
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const BASE32 = `${UPPER}234567`;
const ALNUM = `${UPPER}abcdefghijklmnopqrstuvwxyz${DIGITS}`;
export const BASE64URL = `${ALNUM}-_`;
export const BASE64 = `${ALNUM}+/`;

let state = 1;

/** Random characters, the same in each run. */
export function fake(length: number, alphabet: string = ALNUM): string {
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }).join('');
}
