import { isHarmless, JUDGED, looksRandom } from './harmless-values.ts';
import type { Range } from './range.ts';
import { runEnds } from './run-ends.ts';
import { nameStrength, type Strength } from './secret-names.ts';

/** A part of every name of a secret. All else is only looked at around one. */
const PART = /pass|pwd|pw\b|secret|token|key|auth|cookie|cred|mnemonic|connection/gi;
const NAME_CHARACTER = /[\w.-]/;
const NAME_AFTER = /[\w-]{0,40}/y;
/** `API key`, as people write it. */
const WORD_BEFORE = /\b(?:access|account|api|auth|encryption|master|private|secret|signing) $/i;

/** A text, and where the values end that may begin at a place. */
interface Source {
  readonly text: string;
  readonly bareEnd: (at: number) => number;
  readonly headerEnd: (at: number) => number;
}

/** Secrets that their names tell: assignments, fields, headers, variables, elements, flags. */
export function findNamedValues(text: string): Range[] {
  const ranges: Range[] = [];
  const source = { text, bareEnd: runEnds(text, BARE), headerEnd: runEnds(text, HEADER_VALUE) };
  PART.lastIndex = 0;
  for (let part = PART.exec(text); part !== null; part = PART.exec(text)) {
    const { begin, end } = nameAround(text, part.index, PART.lastIndex);
    const name = text.slice(begin, end);
    PART.lastIndex = end;
    const strength = nameStrength(isKeyOfWords(text, begin, name) ? `api ${name}` : name);
    if (strength === undefined) continue;
    const range = valueAfter(source, { name, begin, end, strength });
    if (range === undefined) continue;
    ranges.push(range);
    PART.lastIndex = range[1];
  }
  return ranges;
}

function nameAround(text: string, at: number, to: number): { begin: number; end: number } {
  let begin = at;
  while (begin > Math.max(0, at - 60) && NAME_CHARACTER.test(text[begin - 1] as string)) begin--;
  // In escaped text, the letter after a backslash belongs to the escape: `\npassword`.
  const isEscape = begin < at && text[begin - 1] === '\\' && /[nrt]/.test(text[begin] as string);
  NAME_AFTER.lastIndex = to;
  NAME_AFTER.test(text);
  return { begin: begin + (isEscape ? 1 : 0), end: NAME_AFTER.lastIndex };
}

function isKeyOfWords(text: string, begin: number, name: string): boolean {
  return /^key$/i.test(name) && WORD_BEFORE.test(text.slice(Math.max(0, begin - 20), begin));
}

interface Named {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
  readonly strength: Strength;
}

function valueAfter(source: Source, named: Named): Range | undefined {
  const { text } = source;
  if (HEADER.test(named.name)) return headerValue(source, named);
  for (const [separator, isFor] of SEPARATORS) {
    if (!isFor(text, named)) continue;
    separator.lastIndex = named.end;
    if (separator.test(text)) {
      return quotedValue(text, separator.lastIndex, named) ?? bareValue(source, separator.lastIndex, named);
    }
  }
  return undefined;
}

const always = () => true;
const isFlag = (text: string, { name, begin }: Named) => name.startsWith('--') || text.startsWith('--', begin - 2);
const isElement = (text: string, { begin }: Named) => text[begin - 1] === '<';

/** What stands between a name and its value, and for which names. */
const SEPARATORS: readonly (readonly [RegExp, (text: string, named: Named) => boolean])[] = [
  // {"name":"DB_PASSWORD","value":"…"}, <add key="Password" value="…">, variable "db_password" { default = "…" }
  [/\\{0,8}["']\s{0,4}[,{]?\s{0,20}\\{0,8}["']?(?:value|default)\\{0,8}["']?\s{0,4}[:=]\s{0,4}/y, always],
  // A type between: `const token: string = "…"`
  [/\??\s{0,4}:\s{0,4}[\w<>| ]{1,40}=\s{0,4}(?=["'`])/y, always],
  // `password: …`, `"password": …`, `:password => …`, `token := …`, `["X-Api-Key"] = …`
  [/\\{0,8}["'`]?\]?\s{0,4}(?:=>|:=|[:=])\s{0,4}/y, always],
  // define('DB_PASSWORD', '…'), ["X-Api-Key", "…"]
  [/\\{0,8}["']\s{0,4},\s{0,4}(?=\\{0,8}["'])/y, always],
  // --password …
  [/\s{1,4}/y, isFlag],
  // <password>…</password>
  [/>/y, isElement],
  // CREATE USER app WITH PASSWORD '…'
  [/\s{1,4}(?=')/y, always],
  // My password is …
  [/ (?:is|was) (?=\S{0,80}\d)/y, always],
];

const QUOTE = /(\\{0,8})(["'`])/y;

function quotedValue(text: string, at: number, { strength }: Named): Range | undefined {
  QUOTE.lastIndex = at;
  const open = QUOTE.exec(text);
  if (open === null) return undefined;
  const begin = at + open[0].length;
  const end = closing(text, begin, open[0]);
  const value = text.slice(begin, end);
  if (value.length < 4 || isHarmless(value, strength, 'quoted')) return undefined;
  return [begin, end];
}

/**
 * Where a quoted text ends: at the same quote with as many backslashes, or at the end of the line. As a quote that opens a value
 * closes any earlier one of its kind, each kind reads a text once.
 */
function closing(text: string, begin: number, quote: string): number {
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '\n') return at;
    if (quote.length > 1 ? text.startsWith(quote, at) && text[at - 1] !== '\\' : text[at] === quote) return at;
    // A quote within, as `"a\"b"`.
    if (quote.length === 1 && text[at] === '\\') at++;
  }
  return text.length;
}

const BARE = /[^\s"'`,;&<>\\)}\]]*/y;

function bareValue({ text, bareEnd }: Source, at: number, { name, strength }: Named): Range | undefined {
  const end = bareEnd(at);
  const value = text.slice(at, Math.min(end, at + JUDGED));
  if (value.length < 4 || isHarmless(value, strength, 'bare') || CALL.test(text.slice(end, end + 1))) return undefined;
  // A variable of the environment may have any value: JWT_SECRET=word
  const isVariable = /^[A-Z][A-Z0-9_]*$/.test(name) && text[at - 1] === '=';
  return strength === 'strong' || isVariable || looksRandom(value) ? [at, end] : undefined;
}

const CALL = /[(\x5b{]/;

const HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i;
const HEADER_START = /\\{0,8}["']?\s{0,2}[:=,]\s{0,4}(\\{0,8}["']?)/y;
const SCHEME = /(?:Bearer|Basic|Token|ApiKey|Digest|AWS4-HMAC-SHA256|Negotiate|DPoP)\s{1,2}/iy;
const HEADER_VALUE = /[^\n'`\\]*/y;
const PAIR_AHEAD = /[^\n'"`\\=]{1,100}=/y;
const DIGIT_AHEAD = /[^\n'`\\\d]{0,100}\d/y;

/** The rest of a header: everything after the scheme of `Authorization`, all pairs of `Cookie`. */
function headerValue({ text, headerEnd }: Source, { name, end }: Named): Range | undefined {
  HEADER_START.lastIndex = end;
  const [start, quote = ''] = HEADER_START.exec(text) ?? [];
  if (start === undefined) return undefined;
  SCHEME.lastIndex = end + start.length;
  const hasScheme = SCHEME.test(text);
  const begin = hasScheme ? SCHEME.lastIndex : end + start.length;
  const ahead = /cookie$/i.test(name) ? PAIR_AHEAD : DIGIT_AHEAD;
  ahead.lastIndex = begin;
  if (!hasScheme && !ahead.test(text)) return undefined;
  const max = headerEnd(begin);
  const judged = text.slice(begin, Math.min(max, begin + JUDGED));
  // A quote ends the value, except in lists of fields: `Digest username="a", response="…"`.
  const isList = quote === '' && judged.includes('="');
  const value = isList ? judged : (judged.split('"')[0] as string);
  if (max - begin < 4 || value === '' || isHarmless(value, 'strong', 'bare')) return undefined;
  const closing = isList ? -1 : text.indexOf('"', begin);
  return [begin, closing === -1 ? max : Math.min(closing, max)];
}
