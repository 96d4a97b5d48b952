import type { Range } from './range.ts';

/**
 * Private keys in PEM (RFC 7468), OpenPGP (RFC 9580, ASCII armor) and PuTTY's format; also where they were cut, or their line
 * breaks are escaped.
 */
export function findKeyFiles(text: string): Range[] {
  return [...allOf(text, '-----BEGIN ', armored), ...allOf(text, 'Private-Lines:', putty)];
}

/** The ranges at all places of a mark; the search goes on behind each. */
function allOf(text: string, mark: string, rangeAt: (text: string, at: number) => Range | undefined): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(mark); at !== -1; ) {
    const range = rangeAt(text, at);
    if (range !== undefined) ranges.push(range);
    at = text.indexOf(mark, range?.[1] ?? at + mark.length);
  }
  return ranges;
}

const BEGIN = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----/y;
/** Base64, headers, line breaks and their escapes, up to the next escape. */
const BODY = /[\w+/=\s:.,()-]*(?:\\+[nr])?/y;

function armored(text: string, at: number): Range | undefined {
  BEGIN.lastIndex = at;
  const kind = BEGIN.exec(text)?.[1];
  if (kind === undefined) return undefined;
  const end = `-----END ${kind}-----`;
  const found = text.indexOf(end, BEGIN.lastIndex);
  return [at, found === -1 ? endOfAll(BODY, text, BEGIN.lastIndex) : found + end.length];
}

const PUTTY = /Private-Lines: \d{1,4}(?:\\+[nr]|\s)/y;
const PUTTY_BODY = /[\w+/=\s]*(?:\\+[nr])?/y;
/** `Private` is part of the body. */
const PUTTY_MAC = /-MAC: \w+/y;

function putty(text: string, at: number): Range | undefined {
  PUTTY.lastIndex = at;
  if (!PUTTY.test(text)) return undefined;
  const end = endOfAll(PUTTY_BODY, text, PUTTY.lastIndex);
  PUTTY_MAC.lastIndex = end;
  return [at, PUTTY_MAC.test(text) ? PUTTY_MAC.lastIndex : end];
}

/** Where the last of adjacent matches ends. A single pattern for all would overflow V8's stack on millions of them. */
function endOfAll(sticky: RegExp, text: string, at: number): number {
  for (let end = at; ; end = sticky.lastIndex) {
    sticky.lastIndex = end;
    sticky.test(text);
    if (sticky.lastIndex === end) return end;
  }
}
