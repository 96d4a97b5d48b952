import { grow } from './grow.ts';
import { NumberReader, NumberWriter } from './numbers.ts';
import { decodeTexts, encodeList, type SectionReader, unusable } from './snapshot.ts';
import { endsStep, type Steps } from './steps.ts';

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
/** How many ids are read at once. */
const CHUNK_IDS = 2_048;

/** The sections of a snapshot with ids. */
export type PackedIds = Readonly<Record<'idPatterns' | 'idPatternOf' | 'idDigits' | 'otherIds', Uint8Array>>;

export function* packIds(ids: readonly string[]): Steps<PackedIds> {
  const patterns: string[] = [];
  const patternOf = new NumberWriter();
  const digits = new DigitWriter();
  const others: string[] = [];
  for (const [row, id] of ids.entries()) {
    if (endsStep(row)) yield;
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

export function* unpackIds(section: SectionReader<keyof PackedIds>): Steps<readonly string[]> {
  const patterns = (yield* decodeTexts(section('idPatterns'))).map(readPattern);
  const others = yield* decodeTexts(section('otherIds'));
  const patternOf = new NumberReader(section('idPatternOf'));
  const digits = section('idDigits');
  const ids: string[] = [];
  let [taken, next] = [0, 0];
  while (!patternOf.atEnd) {
    const numbers: number[] = [];
    while (!patternOf.atEnd && numbers.length < CHUNK_IDS) numbers.push(patternOf.read());
    const used = numbers
      .filter((number) => number !== AS_IT_STANDS)
      .map((number) => patterns[number - 1] ?? unusable());
    const text = fillIn(used, digits.subarray(taken));
    taken += used.reduce((sum, { digits }) => sum + digits, 0);
    let start = 0;
    for (const number of numbers) {
      const end = start + (patterns[number - 1]?.length ?? 0);
      ids.push(number === AS_IT_STANDS ? (others[next++] ?? unusable()) : text.slice(start, end));
      start = end;
    }
    yield;
  }
  if (next !== others.length || taken !== digits.length) unusable();
  return ids;
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
  /** The bytes of its digits. */
  readonly digits: number;
}

function readPattern(text: string): Pattern {
  const codes = new TextEncoder().encode(text);
  const digits = codes.reduce((count, code) => count + (code === 0 ? 1 : 0), 0);
  return { codes, length: codes.length + digits, digits };
}

/** The ids of these patterns with the first of these digits, as one text. */
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
  if (taken > digits.length) unusable();
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
