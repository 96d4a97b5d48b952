import type { Range } from './range.ts';

/**
 * Private keys in PEM (RFC 7468), OpenPGP (RFC 9580, ASCII armor) and PuTTY's format; also where they were cut, or their line
 * breaks are escaped.
 */
export function findKeyFiles(text: string): Range[] {
  return [...allOf(text, '-----BEGIN ', armored()), ...allOf(text, 'Private-Lines:', putty)];
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

/** The last five hyphens may be the first ones of the next line. */
const END = /-----END ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)(?=-----)/g;

/** For ascending places. Reads the text for ends of keys once, because a text may have thousands of beginnings and no end. */
function armored(): (text: string, at: number) => Range | undefined {
  let ends: ReadonlyMap<string, number[]> | undefined;
  return (text, at) => {
    BEGIN.lastIndex = at;
    const kind = BEGIN.exec(text)?.[1];
    if (kind === undefined) return undefined;
    const from = BEGIN.lastIndex;
    ends ??= endsOf(text);
    const ofKind = ends.get(kind) ?? [];
    while ((ofKind.at(-1) ?? from) < from) ofKind.pop();
    return [at, ofKind.at(-1) ?? endOfAll(BODY, text, from)];
  };
}

/** Where keys of each kind end, the last end first. */
function endsOf(text: string): Map<string, number[]> {
  const ends = new Map<string, number[]>();
  for (const { 0: line, 1: kind = '', index } of [...text.matchAll(END)].reverse()) {
    const ofKind = ends.get(kind) ?? [];
    ofKind.push(index + line.length + '-----'.length);
    ends.set(kind, ofKind);
  }
  return ends;
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
