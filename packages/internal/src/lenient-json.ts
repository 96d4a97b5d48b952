/**
 * A value and where its text ends; or where the text stopped being JSON, whether it was cut off there, and whether a field of
 * an object had begun, as in JSON with a mistake, but not in a remark in braces.
 */
export type JsonReading =
  | { readonly value: unknown; readonly end: number }
  | { readonly value?: undefined; readonly end: number; readonly isCut: boolean; readonly hasField: boolean };

/**
 * Reads the JSON value that begins at a position. Accepts the slips of small models: commas before a closing bracket,
 * line feeds inside texts, texts in other quotation marks, names without any, comments, the escaped brackets of Markdown, the
 * commas and colons of Chinese, and the words of Python and JavaScript, such as `None` and `undefined`. Never accepts JSON
 * that is cut off. Takes time linear in the text.
 *
 * @param from - Where the value begins. Text after it is allowed.
 */
export function readLenientJson(text: string, from = 0): JsonReading {
  const reader = new Reader(text, from);
  try {
    return { value: reader.value(0), end: reader.at };
  } catch (error) {
    if (error !== reader) throw error;
    return { end: reader.at, isCut: reader.at >= text.length, hasField: reader.hasField };
  }
}

const MAX_DEPTH = 100;
/** Texts begin with the first and end with the second. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '‘': '’',
  '„': '“',
  '«': '»',
  '「': '」',
  '＂': '＂',
  '`': '`',
};
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const LITERALS: ReadonlyMap<string, unknown> = /* @__PURE__ */ new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
  ['nil', null],
  ['undefined', null],
]);

/** Throws itself where the text is not JSON. */
class Reader {
  at: number;
  hasField = false;
  readonly #text: string;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) {
      // As if it were cut off: what stands deeper is a part of this value, and no answer.
      this.at = this.#text.length;
      throw this;
    }
    const next = this.#skip();
    if (next === '{') return Object.fromEntries(this.#entries('}', () => this.#field(depth)));
    if (next === '[') return this.#entries(']', () => this.value(depth + 1));
    if (next in QUOTES) return this.#string();
    const word = this.#match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|[A-Za-z]+/y);
    const literal = LITERALS.get(word.toLowerCase());
    if (literal !== undefined) return literal;
    if (!/^[-\d]/.test(word)) this.#fail(word);
    return Number(word);
  }

  /** What stands between brackets, with commas between. */
  #entries<Entry>(close: string, read: () => Entry): Entry[] {
    this.at++;
    const entries: Entry[] = [];
    while (this.#skip() !== close) {
      entries.push(read());
      const next = this.#skip();
      if (next === ',' || next === '，') this.at++;
      else if (next !== close) throw this;
    }
    this.at++;
    return entries;
  }

  #field(depth: number): [string, unknown] {
    const name = this.#skip() in QUOTES ? this.#string() : this.#match(/[A-Za-z_$][\w$]*/y);
    const colon = this.#skip();
    if (colon !== ':' && colon !== '：') throw this;
    this.at++;
    this.hasField = true;
    return [name, this.value(depth + 1)];
  }

  #string(): string {
    const close = QUOTES[this.#text[this.at] as string] as string;
    let read = '';
    let from = ++this.at;
    for (; ; this.at++) {
      const next = this.#text[this.at];
      if (next === undefined) throw this;
      if (next !== close && next !== '\\') continue;
      read += this.#text.slice(from, this.at);
      if (next === close) break;
      const escaped = this.#text[++this.at] ?? '';
      const [code] = escaped === 'u' ? (/^[\da-fA-F]{4}/.exec(this.#text.slice(this.at + 1, this.at + 5)) ?? []) : [];
      read += code === undefined ? (ESCAPES[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(code, 16));
      if (code !== undefined) this.at += 4;
      from = this.at + 1;
    }
    this.at++;
    return read;
  }

  /** The next character after white space and comments, or `''` at the end. */
  #skip(): string {
    // In steps, because a pattern for all of it needs a stack as deep as a long text.
    for (;;) {
      // With characters that have no width, and the backslashes by which Markdown escapes brackets.
      this.#match(/[\s\\\u200B-\u200F\u2060]*/y);
      const mark = this.#text.slice(this.at, this.at + 2);
      const end = mark === '//' ? '\n' : mark === '/*' ? '*/' : undefined;
      if (end === undefined) return this.#text[this.at] ?? '';
      const ended = this.#text.indexOf(end, this.at + 2);
      this.at = ended < 0 ? this.#text.length : ended + end.length;
    }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [matched] = pattern.exec(this.#text) ?? [];
    if (matched === undefined) throw this;
    this.at += matched.length;
    return matched;
  }

  #fail(word: string): never {
    this.at -= word.length;
    throw this;
  }
}
