import type { Range } from './range.ts';

const USER_INFO = /[^\s/"'`<>\\]{1,4000}@/y;
/** What goes on behind a slash, up to the last `@` that a host follows. A parameter of the query is no part of a password. */
const REST = /(?:[^\s"'`<>\\:?]|:(?!\/\/)|\?(?![\w.-]{1,40}=)){1,300}/y;
const HOST_AHEAD = /^(?:[A-Za-z\d][\w.-]{0,252}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?(?:[/?#,;)]|$)/;
/** Of pages and repositories, whose paths may have an `@`. */
const WEB = /(?:https?|ssh|git|wss?|ftps?|file)$/i;
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
    const authority = USER_INFO.exec(text)?.[0].slice(0, -1);
    const info = withSlashes(text, at, authority) ?? authority;
    if (info === undefined) continue;
    const colon = info.indexOf(':');
    // Without a password, the user may be a token.
    if (colon === -1 ? isToken(info) : colon < info.length - 1) ranges.push([start + colon + 1, start + info.length]);
  }
  return ranges;
}

/**
 * The user and a password that has slashes, which people forget to encode: `app:p@ss/w0rd`. In an address of the web, what seems
 * to be the host before the slash must not look like one.
 */
function withSlashes(text: string, at: number, authority: string | undefined): string | undefined {
  REST.lastIndex = at + 3;
  const rest = REST.exec(text)?.[0] ?? '';
  const slash = rest.indexOf('/');
  const colon = rest.indexOf(':');
  if (slash === -1 || colon === -1 || colon > slash) return undefined;
  const last = hostAfter(rest);
  if (last <= slash) return undefined;
  const before = rest.slice((authority ?? '').length, slash).replace(/^@/, '');
  const isPort = authority === undefined && /:(?:\d{1,5}|port|)$/i.test(before);
  const isHost = authority !== undefined && /[.:]|^localhost$/i.test(before);
  const isWeb = WEB.test(text.slice(Math.max(0, at - 8), at));
  return isPort || (isWeb && (isHost || !/^[^/]*\./.test(rest.slice(last + 1)))) ? undefined : rest.slice(0, last);
}

/** The place of the last `@` before a host. */
function hostAfter(rest: string): number {
  let last = rest.lastIndexOf('@');
  while (last > 0 && !HOST_AHEAD.test(rest.slice(last + 1))) last = rest.lastIndexOf('@', last - 1);
  return last;
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
