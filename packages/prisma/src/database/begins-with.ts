import type { Values } from './statement.ts';

/**
 * A condition for storable texts that begin with a literal prefix. It is a range, which an index can serve, and not a pattern.
 * The column must sort by code point.
 */
export function beginsWith(column: string, prefix: string, values: Values): string {
  const from = `${column} >= ${values.text(prefix)}`;
  const end = endOf(prefix);
  return end === undefined ? from : `${from} AND ${column} < ${values.text(end)}`;
}

/** The first text after all that begin with `prefix`; `undefined` if there is none. */
function endOf(prefix: string): string | undefined {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) as number);
  const last = codePoints.findLastIndex((codePoint) => codePoint < 0x10ffff);
  if (last === -1) return undefined;
  const next = (codePoints[last] as number) + 1;
  // Surrogates are not characters.
  return String.fromCodePoint(...codePoints.slice(0, last), next === 0xd800 ? 0xe000 : next);
}
