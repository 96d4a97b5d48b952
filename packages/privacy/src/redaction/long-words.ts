import type { Range } from './range.ts';

/** No token is shorter, and most words of a text are. */
const MIN_LENGTH = 20;

const IN_TOKENS = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w\-.~+/=:%$]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** The runs of characters that tokens consist of, if they are as long as a token. Reads few characters of short words. */
export function* longWords(text: string): Generator<Range> {
  for (let begin = 0; begin + MIN_LENGTH <= text.length; ) {
    let inside = begin + MIN_LENGTH - 1;
    while (inside >= begin && isInTokens(text, inside)) inside--;
    if (inside >= begin) {
      begin = inside + 1;
      continue;
    }
    let end = begin + MIN_LENGTH;
    while (end < text.length && isInTokens(text, end)) end++;
    yield [begin, end];
    begin = end + 1;
  }
}

function isInTokens(text: string, at: number): boolean {
  return IN_TOKENS[text.charCodeAt(at)] === 1;
}
