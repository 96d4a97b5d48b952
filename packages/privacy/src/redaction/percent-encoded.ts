import type { Range } from './range.ts';

const ENCODED = /%[\dA-Fa-f]{2}/;
const ALL_ENCODED = /%[\dA-Fa-f]{2}/g;
const END = /[\s"'`<>]|$/g;
const IS_END = /[\s"'`<>]/;

/**
 * Secrets in percent-encoded text (RFC 3986), such as a URL within the query of another, also if it is encoded several times.
 *
 * @param find - Finds the secrets in the decoded text.
 */
export function findPercentEncoded(text: string, find: (text: string) => readonly Range[]): Range[] {
  const ranges: Range[] = [];
  let end = 0;
  // Only around what is encoded, because most texts have little of it.
  for (const { index } of text.matchAll(ALL_ENCODED)) {
    if (index < end) continue;
    let begin = index;
    while (begin > end && !IS_END.test(text[begin - 1] as string)) begin--;
    END.lastIndex = index;
    end = END.exec(text)?.index ?? text.length;
    const run = text.slice(begin, end);
    const { decoded, places } = decode(run);
    if (decoded.length === run.length) continue;
    for (const [first, last] of find(decoded)) {
      ranges.push([begin + (places[first] as number), begin + (places[last] as number)]);
    }
  }
  return ranges;
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
