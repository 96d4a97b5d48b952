import type { Range } from './range.ts';

const RUN = /[^\s"'`<>]+/g;
const ENCODED = /%[\dA-Fa-f]{2}/;

/**
 * Secrets in percent-encoded text (RFC 3986), such as a URL within the query of another, also if it is encoded several times.
 *
 * @param find - Finds the secrets in the decoded text.
 */
export function findPercentEncoded(text: string, find: (text: string) => readonly Range[]): Range[] {
  if (!ENCODED.test(text)) return [];
  return [...text.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    if (!ENCODED.test(run)) return [];
    const { decoded, places } = decode(run);
    if (decoded.length === run.length) return [];
    return find(decoded).map(
      ([begin, end]): Range => [index + (places[begin] as number), index + (places[end] as number)],
    );
  });
}

/** The decoded characters of ASCII, and where each begins in the text. */
function decode(run: string): { readonly decoded: string; readonly places: Uint32Array } {
  const places = new Uint32Array(run.length + 1);
  const characters: string[] = [];
  let at = 0;
  while (at < run.length) {
    places[characters.length] = at;
    const code = run[at] === '%' ? Number.parseInt(run.slice(at + 1, at + 3), 16) : Number.NaN;
    const isEncoded = code >= 0x20 && code < 0x7f && ENCODED.test(run.slice(at, at + 3));
    characters.push(isEncoded ? String.fromCharCode(code) : (run[at] as string));
    at += isEncoded ? 3 : 1;
  }
  places[characters.length] = at;
  return { decoded: characters.join(''), places };
}
