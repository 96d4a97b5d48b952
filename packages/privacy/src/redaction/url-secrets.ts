import type { Range } from './range.ts';

const USER_INFO = /[^\s/"'`<>\\]{1,4000}@/y;
const SIGNATURE = /[?&](?:sig|X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature|Signature|secret|code_verifier)=/gi;
const VALUE = /[^\s"'`<>&#\\]{8}[^\s"'`<>&#\\]*/y;

/** Passwords in URLs (RFC 3986, 3.2.1) and in addresses of Go's drivers, and the signatures that make a URL a key. */
export function findUrlSecrets(text: string): Range[] {
  return [...userInfos(text), ...signatures(text), ...addresses(text)];
}

function userInfos(text: string): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    USER_INFO.lastIndex = start;
    const info = USER_INFO.exec(text)?.[0].slice(0, -1);
    if (info === undefined) continue;
    const colon = info.indexOf(':');
    // Without a password, the user may be a token.
    if (colon === -1 ? isToken(info) : colon < info.length - 1) ranges.push([start + colon + 1, start + info.length]);
  }
  return ranges;
}

/** `user:password@tcp(host:3306)/name` */
function addresses(text: string): Range[] {
  return [...text.matchAll(/@(?:tcp|udp|unix)\(/g)].flatMap(({ index }): Range[] => {
    const [, password] = BEFORE_ADDRESS.exec(text.slice(Math.max(0, index - 200), index)) ?? [];
    return password === undefined ? [] : [[index - password.length, index]];
  });
}

const BEFORE_ADDRESS = /(?<![\w.-])[\w.-]{1,60}:([^\s"'`]{1,120})$/;

function isToken(user: string): boolean {
  return user.length >= 20 && /\d/.test(user);
}

function signatures(text: string): Range[] {
  const ranges: Range[] = [];
  SIGNATURE.lastIndex = 0;
  while (SIGNATURE.test(text)) {
    const begin = SIGNATURE.lastIndex;
    VALUE.lastIndex = begin;
    if (!VALUE.test(text)) continue;
    ranges.push([begin, VALUE.lastIndex]);
    SIGNATURE.lastIndex = VALUE.lastIndex;
  }
  return ranges;
}
