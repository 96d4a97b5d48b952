import { areWords, isHarmless, JUDGED, looksRandom } from './harmless-values.ts';
import type { Range } from './range.ts';
import { runEnds } from './run-ends.ts';
import { endOfPassphrase, findSaid } from './said-values.ts';
import { type Named, nameStrength } from './secret-names.ts';
import { isTextTokenAt } from './text-tokens.ts';

/** A part of every name of a secret. All else is only looked at around one. */
const PART =
  /pass|pwd|pw\b|psk|secret|token|key|auth|cookie|cred|mnemonic|connection|phrase|seed|_pat\b|kennwort|wachtwoord|senha|contrase[ñn]a|пароль|密[码碼钥鑰]|口令|パスワード|비밀번호/gi;
const NAME_CHARACTER = /[\w.-]/;
const NAME_AFTER = /[\w-]{0,40}/y;
/** `API key` and `seed phrase`, as people write them. */
const WORD_BEFORE =
  /(?<![A-Za-z0-9])(?:access|account|api|auth|encryption|master|network|private|secret|signing|wep|wi-?fi|wpa2?) $/i;
const PHRASE_BEFORE = /(?<![A-Za-z0-9])(?:seed|recovery|backup|wallet|mnemonic) $/i;
/** `first pass`, `boarding pass`. */
const PASS_BEFORE =
  /(?<![A-Za-z0-9])(?:first|second|third|fourth|next|last|final|one|single|another|each|every|bus|compiler|season|ski|[a-z]{2,12}ing) $/i;
/** `pass phrase`. */
const REST_OF_NAME = / (?:phrase|word|code)\b/iy;

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
    const strength = nameStrength(wordBefore(text, begin, name) + name);
    if (strength === undefined) continue;
    const range = valueAfter(source, { name, begin, end, strength });
    if (range === undefined) continue;
    ranges.push(range);
    PART.lastIndex = Math.max(end, range[1]);
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
  const end = NAME_AFTER.lastIndex;
  REST_OF_NAME.lastIndex = end;
  const isInTwo = end - begin === 4 && /pass/i.test(text.slice(begin, end)) && REST_OF_NAME.test(text);
  return { begin: begin + (isEscape ? 1 : 0), end: isInTwo ? REST_OF_NAME.lastIndex : end };
}

/** The word that makes a secret of what is called `key` or `phrase`, or none of a `pass`. */
function wordBefore(text: string, begin: number, name: string): string {
  const before = () => text.slice(Math.max(0, begin - 20), begin);
  if (/^pass$/i.test(name)) return PASS_BEFORE.test(before()) ? 'no ' : '';
  if (/^key$/i.test(name)) return WORD_BEFORE.test(before()) ? 'api ' : '';
  return /^phrase$/i.test(name) && PHRASE_BEFORE.test(before()) ? 'seed ' : '';
}

function valueAfter(source: Source, named: Named): Range | undefined {
  const { text } = source;
  if (HEADER.test(named.name)) return headerValue(source, named);
  for (const [separator, isFor] of SEPARATORS) {
    if (!isFor(text, named)) continue;
    separator.lastIndex = named.end;
    if (separator.test(text)) return valueAt(source, separator.lastIndex, named);
  }
  return valueBefore(text, named) ?? saidValue(source, named);
}

function valueAt(source: Source, at: number, named: Named): Range | undefined {
  const { text } = source;
  MARKUP.lastIndex = at;
  const [markup = ''] = MARKUP.exec(text) ?? [];
  const from = at + markup.length;
  DESCRIPTION.lastIndex = from;
  if (DESCRIPTION.test(text)) return undefined;
  const value =
    bracedValue(text, from, named) ??
    quotedValue(text, from, named) ??
    phraseValue(text, from, named) ??
    bareValue(source, from, named);
  // What marks the end of the value, as in `**Password:** **…**`, is no part of it.
  const isMarked = value !== undefined && markup !== '' && text.slice(...value).endsWith(markup);
  return isMarked ? [value[0], value[1] - markup.length] : value;
}

/** A value of several words, unless the first one is a placeholder or code. */
function phraseValue(text: string, at: number, named: Named): Range | undefined {
  const end = endOfPassphrase(text, at, named);
  if (end === undefined) return undefined;
  const [first = ''] = text.slice(at, end).split(/\s/);
  return isHarmless(first, named.strength, 'bare') ? undefined : [at, end];
}

function saidValue(source: Source, named: Named): Range | undefined {
  const said = findSaid(source.text, named);
  return typeof said === 'number' ? valueAt(source, said, named) : said;
}

/** What a password must be like, in place of one. */
const DESCRIPTION =
  /(?:must|should|cannot|may|hashed|salted|stored|encrypted|minimum|maximum|between|please|enter|leave|at least|\d{1,3}(?:\s?[–-]\s?\d{1,3})?\+? (?:chars?|characters?|digits?|letters?|words?|symbols?)\b)(?=[ .\n]|$)/iy;

const MARKUP = /\*{1,3}|_{2,3}/y;

/** `PWD={…}` of ODBC and JDBC, where braces are quotes; not the braces of JSX. */
function bracedValue(text: string, at: number, { begin, strength }: Named): Range | undefined {
  if (strength !== 'strong' || text[at] !== '{') return undefined;
  BRACED.lastIndex = at;
  const [braced] = BRACED.exec(text) ?? [];
  if (braced === undefined) return undefined;
  const end = at + braced.length;
  return text[begin - 1] === ';' || text[end] === ';' ? [at + 1, end - 1] : undefined;
}

const BRACED = /\{[^{}\n]{1,200}\}/y;

/** `- value: …` of a list before `name: DB_PASSWORD`. */
function valueBefore(text: string, { begin, strength }: Named): Range | undefined {
  const from = Math.max(0, begin - 300);
  const match = VALUE_BEFORE.exec(text.slice(from, begin));
  const [, before = '', value = ''] = match ?? [];
  if (match === null || value.length < 4 || isHarmless(value, strength, 'quoted')) return undefined;
  const start = from + match.index + before.length;
  return [start, start + value.length];
}

const VALUE_BEFORE =
  /(\bvalue\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?)([^\s"'\\]{1,200})\\{0,8}["']?\s{0,4},?\s{1,40}\\{0,8}["']?(?:name|key)\\{0,8}["']?\s{0,4}[:=]\s{0,4}\\{0,8}["']?$/i;

const always = () => true;
const isFlag = (text: string, { name, begin }: Named) =>
  name.startsWith('--') || /--$|(?:^|\s)(?:ENV|setx) $/.test(text.slice(Math.max(0, begin - 6), begin));
const isCell = (text: string, { begin }: Named) => /\|[^|\n]{0,40}$/.test(text.slice(Math.max(0, begin - 42), begin));
const isStrong = (_: string, { strength }: Named) => strength === 'strong';
const isElement = (text: string, { begin }: Named) => text[begin - 1] === '<';
const isFirstColumn = (text: string, { begin, strength }: Named) =>
  strength === 'strong' && /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, begin - 20), begin));
const isKeyOfElement = (text: string, { begin }: Named) =>
  /<(?:add|entry|item|param|property|setting|string)\b[^<>]{0,60}(?:key|name)=["']$/.test(
    text.slice(Math.max(0, begin - 80), begin),
  );

/** What stands between a name and its value, and for which names. */
const SEPARATORS: readonly (readonly [RegExp, (text: string, named: Named) => boolean])[] = [
  // {"name":"DB_PASSWORD","value":"…"}, <add key="Password" value="…">, variable "db_password" { default = "…" }
  [
    /\\{0,8}["']\s{0,4}[,{]?\s{0,20}(?:["']\w{1,20}["']\s?:\s?["'][^"'\n]{0,40}["'],\s{0,20})?\\{0,8}["']?(?:\w{0,20}value|default)\\{0,8}["']?\s{0,4}[:=]\s{0,4}/iy,
    always,
  ],
  // - name: DB_PASSWORD, and then value: …
  [/\s{0,4}(?:\n|,)\s{0,40}value\s{0,4}[:=]\s{0,4}/y, always],
  // password: |, and on the next line …
  [/["']?\s{0,4}:\s{0,4}[|>][+-]?\s{0,4}\n\s{1,40}/y, always],
  // A type between: `const token: string = "…"`
  [/\??\s{0,4}:\s{0,4}[\w<>| ]{1,40}=\s{0,4}(?=["'`])/y, always],
  // `password: …`, `"password": …`, `:password => …`, `token := …`, `["X-Api-Key"] = …`
  // and in Markdown and HTML: `**Password:** …`, `<b>Password</b>: <code>…`
  [
    /\\{0,8}["'`]?\]?(?:\*{1,3}|<\/\w{1,10}>)?\s{0,4}(?:[=-]>|:=|[:=：＝])(?:\*{1,3}|_{2,3}|<\/\w{1,10}>)?\s{0,4}(?:<\w{1,10}>)?/y,
    always,
  ],
  // | Password | … |, but not the head of a table
  [/[`*_]{0,3}[ \t]{0,40}\|[ \t]{0,40}(?![^\n]{0,200}\n\s{0,8}\|?\s{0,4}:?-{2})/y, isCell],
  // <td>Password</td><td>…
  [/<\/\w{1,10}>\s{0,20}<\w{1,10}>/y, always],
  // A heading or a line before a block of code with one word
  [/[:*_]{0,4}\n\n?```\w{0,20}\n(?=\S{4,200}\n\s{0,8}```)/y, always],
  // **Secret key** – `…`
  [/\*{0,3} [–—-] (?=["'`]|\S{0,80}\d)/y, always],
  // define('DB_PASSWORD', '…'), ["X-Api-Key", "…"]
  [/\\{0,8}["']\s{0,4},\s{0,4}(?=\\{0,8}["'](?!\w{1,30}\\{0,8}["']\s?:))/y, always],
  // --password …, ENV DB_PASSWORD …
  [/\s{1,4}/y, isFlag],
  // <password>…</password>, <password value="…"/>, <entry key="password">…</entry>
  [/>|\s{1,4}value=/y, isElement],
  [/["']>/y, isKeyOfElement],
  // CREATE USER app WITH PASSWORD '…'
  [/\s{1,4}(?=')/y, always],
  // Password → …
  [/\s{0,2}→\s{0,2}(?=["'`]|\S{0,80}\d)/y, always],
  // SET PASSWORD FOR 'app'@'%' = '…'
  [/ FOR [^\s=]{1,100}\s?=\s?(?=')/iy, isStrong],
  // 密码是…
  [/\s?[是为為は]\s?/y, isStrong],
  // Password   …, in columns
  [/(?:\t|[ \t]{2,20})(?=\S{0,80}\d\S{0,80}[ \t]*(?:\n|$))/y, isFirstColumn],
  // Use token …
  [/ (?=[\w-]{20})(?=(?:[A-Za-z_-]{0,60}\d){3})/y, always],
];

/** Also with the letter of SQL or Python for its kind: `N'…'`, `b'…'`. */
const QUOTE = /(?:[NEBUR](?=["']))?(\\{0,8}["'`])/iy;

function quotedValue(text: string, at: number, { name, begin: from, strength }: Named): Range | undefined {
  QUOTE.lastIndex = at;
  const open = QUOTE.exec(text);
  if (open === null) return undefined;
  const begin = at + open[0].length;
  const end = closing(text, begin, open[1] as string);
  const value = text.slice(begin, end);
  if (value.length < 4 || isHarmless(value, strength, 'quoted')) return undefined;
  if (
    LIST_ITEM.test(text.slice(Math.max(0, from - 36), from)) &&
    /["'],/.test(text.slice(from, at)) &&
    areWords(name, value)
  )
    return undefined;
  if (name === 'token' && !looksRandom(value) && isTextTokenAt(text, from, end)) return undefined;
  return [begin, end];
}

/** Before a name that is one of several words: `["password", "security"]`. */
const LIST_ITEM = /[[,]\s{0,4}\\{0,8}["'`][\w ]{0,20}$/;

/**
 * Where a quoted text ends: at the same quote with as many backslashes, or at the end of the line. A doubled quote is part of the
 * text, as in SQL, YAML and CSV. As a quote that opens a value
 * closes any earlier one of its kind, each kind reads a text once.
 */
function closing(text: string, begin: number, quote: string): number {
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '\n') return at;
    const isQuote = quote.length > 1 ? text.startsWith(quote, at) && text[at - 1] !== '\\' : text[at] === quote;
    if (isQuote && (quote === '`' || quote.length > 1 || text[at + 1] !== quote)) return at;
    if (isQuote) at++;
    // A quote within, as `"a\"b"`.
    if (quote.length === 1 && text[at] === '\\') at++;
  }
  return text.length;
}

const BARE = /[^\s"'`,;&<>\\)}\]]*/y;

function bareValue({ text, bareEnd }: Source, at: number, { name, strength }: Named): Range | undefined {
  const end = bareEnd(at);
  const value = text.slice(at, Math.min(end, at + JUDGED));
  // A variable of the environment may have any value: JWT_SECRET=word, and in YAML JWT_SECRET: word
  const isVariable =
    /^[A-Z][A-Z0-9_]*$/.test(name) && (text[at - 1] === '=' || (name.includes('_') && text.startsWith(': ', at - 2)));
  if (isVariable && DIRECTORY.test(name + value)) return undefined;
  if (end === at && ANGLED.test(text.slice(at, at + 80))) return undefined;
  const whole = isVariable ? endOfRest(text, end, MORE_OF_VARIABLE) : end;
  if (whole - at < 4 || isHarmless(value, strength, isVariable ? 'assigned' : 'bare')) return undefined;
  if (CALL.test(text.slice(end, end + 1)) && !(isVariable && /\d/.test(value))) return undefined;
  if (strength === 'weak' && !isVariable && !looksRandom(value)) return undefined;
  return [at, isVariable ? whole : endOfRest(text, end, MORE)];
}

const CALL = /[(\x5b{]/;
/** `<your-api-key>` */
const ANGLED = /^<[^<>\n]{1,60}>/;
/** A value goes on after a mark that could end it, unless another name follows: `Tr0ub4dor&3`, but not `…&b=1`. */
const MORE = /[&;,](?!(?:[\w.-]|%\w\w){1,40}\s?[=:]|amp;|quot;)[^\s"'`,;&<>\\)}\]]+/y;
const MORE_OF_VARIABLE = /[&;,()[\]{}<>](?!(?:[\w.-]|%\w\w){1,40}\s?[=:]|amp;|quot;)[^\s"'`,;&<>\\()[\]{}]+/y;

function endOfRest(text: string, at: number, more: RegExp): number {
  let end = at;
  for (more.lastIndex = end; more.test(text); ) end = more.lastIndex;
  return end;
}

/** Of the working directory, which has the same name as a password. */
const DIRECTORY = /^(?:OLD)?PWD[/~]/;

const HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i;
const HEADER_START = /\\{0,8}["']?\s{0,2}[:=,：]\s{0,4}(\[\s{0,8})?(\\{0,8}["']?)/y;
const SCHEME = /(?:Bearer|Basic|Token|ApiKey|Digest|AWS4-HMAC-SHA256|Negotiate|DPoP)\s{1,2}/iy;
const HEADER_VALUE = /[^\n'`\\]*/y;
const PAIR_AHEAD = /[^\n'"`\\=]{1,100}=/y;
const DIGIT_AHEAD = /[^\n'`\\\d]{0,100}\d/y;

/** The rest of a header: everything after the scheme of `Authorization`, all pairs of `Cookie`. */
function headerValue({ text, headerEnd }: Source, { name, end }: Named): Range | undefined {
  HEADER_START.lastIndex = end;
  const [start, bracket, quote = ''] = HEADER_START.exec(text) ?? [];
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
  // All values of a list in brackets.
  const closing = isList ? -1 : text.indexOf(bracket === undefined ? '"' : '"]', begin);
  return [begin, closing === -1 ? max : Math.min(closing, max)];
}
