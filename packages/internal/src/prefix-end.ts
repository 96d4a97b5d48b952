/**
 * The first text, by code point, after all that begin with `prefix`; `undefined` if there is none. So a prefix is a range,
 * which an index can serve.
 */
export function prefixEnd(prefix: string): string | undefined {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) as number);
  const last = codePoints.findLastIndex((codePoint) => codePoint < 0x10ffff);
  if (last === -1) return undefined;
  const next = (codePoints[last] as number) + 1;
  // Surrogates are not characters.
  return String.fromCodePoint(...codePoints.slice(0, last), next === 0xd800 ? 0xe000 : next);
}
