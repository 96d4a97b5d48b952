import { grow } from './grow.ts';
import { NumberReader, NumberWriter } from './numbers.ts';
import { decodeTexts, encodeList, type SectionReader, unusable } from './snapshot.ts';

/*
 * Ids are mostly UUIDs and hashes, and as long as a short memory. Such an id is packed as a shared pattern and its
 * hexadecimal digits, two per byte.
 */

const ZERO = 0x30;
const A = 0x61;
const DIGITS = /(?:[0-9a-f]{2}){2,}/;
const ALL_DIGITS = new RegExp(DIGITS, 'g');
const PRINTABLE_ASCII = /^[ -~]*$/;
/** Stands for two digits in a pattern. */
const TWO_DIGITS = '\0';
/** The character codes of two digits, by their number. */
const FIRST = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, number) => codeOf(number >> 4));
const SECOND = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, number) => codeOf(number & 15));

/** Ids without one of these patterns are stored unchanged. */
const MAX_PATTERNS = 16;
const AS_IT_STANDS = 0;

/** The sections of a snapshot with ids. */
export type PackedIds = Readonly<Record<'idPatterns' | 'idPatternOf' | 'idDigits' | 'otherIds', Uint8Array>>;

export function packIds(ids: readonly string[]): PackedIds {
  const patterns: string[] = [];
  const patternOf = new NumberWriter();
  const digits = new DigitWriter();
  const others: string[] = [];
  for (const id of ids) {
    let number = 1 + patterns.findIndex((pattern) => digits.take(id, pattern));
    if (number === AS_IT_STANDS && patterns.length < MAX_PATTERNS && hasPattern(id)) {
      const pattern = id.replace(ALL_DIGITS, (run) => TWO_DIGITS.repeat(run.length / 2));
      number = patterns.push(pattern);
      digits.take(id, pattern);
    }
    patternOf.write(number);
    if (number === AS_IT_STANDS) others.push(id);
  }
  return {
    idPatterns: encodeList(patterns),
    idPatternOf: patternOf.bytes,
    idDigits: digits.bytes,
    otherIds: encodeList(others),
  };
}

export function unpackIds(section: SectionReader<keyof PackedIds>): readonly string[] {
  const patterns = decodeTexts(section('idPatterns')).map(readPattern);
  const others = decodeTexts(section('otherIds'));
  const patternOf = new NumberReader(section('idPatternOf'));
  const numbers: number[] = [];
  while (!patternOf.atEnd) numbers.push(patternOf.read());
  const used = numbers.filter((number) => number !== AS_IT_STANDS).map((number) => patterns[number - 1] ?? unusable());
  if (numbers.length - used.length !== others.length) unusable();
  const text = fillIn(used, section('idDigits'));
  let start = 0;
  let next = 0;
  return numbers.map((number) => {
    if (number === AS_IT_STANDS) return others[next++] as string;
    const end = start + (patterns[number - 1] as Pattern).length;
    const id = text.slice(start, end);
    start = end;
    return id;
  });
}

function hasPattern(id: string): boolean {
  return DIGITS.test(id) && PRINTABLE_ASCII.test(id);
}

/** The digits of ids, in order, two per byte. */
class DigitWriter {
  #bytes = new Uint8Array(256);
  #end = 0;

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Adds the digits of an id if it matches the pattern. */
  take(id: string, pattern: string): boolean {
    this.#bytes = grow(this.#bytes, this.#end + pattern.length);
    const bytes = this.#bytes;
    let end = this.#end;
    let place = 0;
    for (let part = 0; part < pattern.length; part++) {
      const expected = pattern.charCodeAt(part);
      if (expected === 0) {
        const number = numberOf(id.charCodeAt(place)) * 16 + numberOf(id.charCodeAt(place + 1));
        if (!(number >= 0)) return false;
        bytes[end++] = number;
        place += 2;
      } else if (expected !== id.charCodeAt(place++)) return false;
    }
    if (place !== id.length) return false;
    this.#end = end;
    return true;
  }
}

interface Pattern {
  readonly codes: Uint8Array;
  /** Of an id that has it. */
  readonly length: number;
}

function readPattern(text: string): Pattern {
  const codes = new TextEncoder().encode(text);
  return { codes, length: codes.reduce((length, code) => length + (code === 0 ? 2 : 1), 0) };
}

/** The ids of these patterns with these digits, as one text. */
function fillIn(patterns: readonly Pattern[], digits: Uint8Array): string {
  const text = new Uint8Array(patterns.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  let taken = 0;
  for (const { codes } of patterns) {
    for (let part = 0; part < codes.length; part++) {
      const code = codes[part] as number;
      if (code === 0) {
        const number = digits[taken++] as number;
        text[end++] = FIRST[number] as number;
        text[end++] = SECOND[number] as number;
      } else text[end++] = code;
    }
  }
  if (taken !== digits.length) unusable();
  return new TextDecoder().decode(text);
}

/** The value of a digit, or NaN. */
function numberOf(code: number): number {
  if (code >= ZERO && code < ZERO + 10) return code - ZERO;
  return code >= A && code < A + 6 ? code - A + 10 : Number.NaN;
}

function codeOf(number: number): number {
  return number < 10 ? ZERO + number : A + number - 10;
}
