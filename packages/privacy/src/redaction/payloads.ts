import type { Range } from './range.ts';

/** A longer run of Base64 is data, such as an image, and no token. */
const MIN_DATA = 256;
/** How much of a run is looked at to tell data from a path or a name. */
const JUDGED = 128;

/** Fields that providers encrypt or sign. */
const SEALED = /^(?:(?:encrypted|redacted)_?content|(?:thought_?)?signature)$/i;
/** Fields with images, sounds and files in the messages of any framework. */
const BYTES = /^(?:data|bytes|blob|result|b64_json|file_?data|image|audio)$/i;
const MIN_BYTES = 128;

/** Whether a field holds bytes in Base64 that mean nothing to a reader, such as encrypted reasoning or an image. */
export function isPayload(name: string, text: string): boolean {
  return (SEALED.test(name) || (BYTES.test(name) && text.length >= MIN_BYTES)) && /^[\w+/-]+={0,2}$/.test(text);
}

/** The secrets that are no part of data in Base64, where some letters look like a token by chance. For sorted ranges. */
export function outsideData(text: string, secrets: readonly Range[]): Range[] {
  let run: Range = [0, 0];
  return secrets.filter(([begin, end]) => {
    if (begin >= run[1]) run = runAround(text, begin, run[1]);
    return (begin === run[0] && end >= run[1]) || !isData(text, run);
  });
}

/** The run of Base64 around a place. Reads nothing before `min`, so that all runs of a text are read once. */
function runAround(text: string, at: number, min: number): Range {
  let [begin, end] = [at, at];
  while (begin > min && isBase64(text, begin - 1)) begin--;
  while (end < text.length && isBase64(text, end)) end++;
  return [begin, end];
}

function isData(text: string, [begin, end]: Range): boolean {
  if (text.startsWith(';base64,', begin - ';base64,'.length)) return true;
  if (end - begin < MIN_DATA) return false;
  const start = text.slice(begin, begin + JUDGED);
  // One alphabet has `+` and `/`, the other `-` and `_` (RFC 4648). A path may have all of them.
  const isOneAlphabet = !(/[-_]/.test(start) && /[+/]/.test(start));
  return isOneAlphabet && /[A-Z]/.test(start) && /[a-z]/.test(start) && /\d/.test(start);
}

const IN_BASE64 = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w+/-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

function isBase64(text: string, at: number): boolean {
  return IN_BASE64[text.charCodeAt(at)] === 1;
}
