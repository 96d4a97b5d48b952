import fc from 'fast-check';
import type { Random } from './random.ts';

const MAX_CHARACTERS = 2 ** 20;

/** Texts that parsers trip over. */
const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  '\r\n',
  '\n---\n',
  '\ufeff',
  '\u2028',
  '\ud800',
  '\udfff',
  '\u202e',
  'İ',
  'ﷺ',
  'e\u0301',
  '👨‍👩‍👧‍👦',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '%00',
  '%',
  '%ZZ',
  "'",
  '"',
  '\\',
  '\\u',
  '`',
  '```',
  '<!--',
  ']]>',
  '</memory>',
  '{{',
  '${',
  '{',
  '[',
  '}',
  ']',
  ',',
  ':',
  '/',
  '*',
  '(?=',
  'null',
  'true',
  '{}',
  '[]',
  '-0',
  '1e999',
  '-1',
  '9007199254740993',
  '1e21',
  '0x10',
  'NaN',
  '+275760-09-13T00:00:00.001Z',
  '2024-02-30',
  '9999-12-31T23:59:59.999Z',
  'sk-proj-',
  'password=',
  'Bearer ',
  '-----BEGIN PRIVATE KEY-----',
  'https://user:password@',
  ' AND ',
  ' OR 1=1 --',
];

/** Of any code points. The unit `binary` of fast-check does the same, and takes a second for its first text. */
const ANY_TEXT = fc.string({ unit: fc.nat(0x10ffff).map((code) => String.fromCodePoint(code)), maxLength: 40 });

/** A text that is hostile, random, or a short one repeated until it is long. */
export function hostileText(random: Random): string {
  const kind = random.whole(20);
  if (kind < 12) return random.pick(HOSTILE_TEXTS);
  if (kind < 19) return random.sample(ANY_TEXT);
  return repeated(random, random.pick(HOSTILE_TEXTS));
}

/** Changes a text at a few places. `others` are texts that a piece may come from. */
export function mutateText(random: Random, text: string, others: readonly string[] = []): string {
  let mutated = text;
  for (let changes = 1 + random.whole(4); changes > 0; changes--) mutated = changed(random, mutated, others);
  return mutated.slice(0, MAX_CHARACTERS);
}

function changed(random: Random, text: string, others: readonly string[]): string {
  const from = random.whole(text.length + 1);
  const to = Math.min(text.length, from + random.whole(random.chance(0.2) ? text.length + 1 : 12));
  const [before, piece, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  switch (random.whole(9)) {
    case 0:
      return before + after;
    case 1:
      return before;
    case 2:
      return before + hostileText(random) + after;
    case 3:
      return before + hostileText(random) + piece + after;
    case 4:
      return before + piece + piece + after;
    case 5:
      return before + String.fromCharCode(random.whole(random.chance(0.5) ? 128 : 65_536)) + after;
    case 6:
      return before + [...piece].reverse().join('') + after;
    case 7:
      return before + random.pick([...others, text]).slice(from, to + 20) + after;
    default:
      // Rarely, because few inputs of this size run in a second.
      return random.chance(0.1) ? before + repeated(random, piece) + after : before + piece.toUpperCase() + after;
  }
}

/** A text of a length: a beginning, and then a piece of a text or a hostile one again and again, without an end. */
export function grownText(random: Random, length: number, texts: readonly string[]): string {
  const [text, other] = [random.pick(texts), random.pick(texts)];
  const from = random.whole(other.length);
  const piece = random.chance(0.5) ? other.slice(from, from + 1 + random.whole(20)) : random.pick(HOSTILE_TEXTS);
  const beginning = text.slice(0, random.whole(text.length + 1));
  return beginning.padEnd(length, piece === '' ? text : piece);
}

/** A piece repeated up to a length that a function of quadratic cost takes seconds for. */
function repeated(random: Random, piece: string): string {
  const characters = random.pick([100, 1000, 10_000, 100_000, 250_000]);
  return piece.repeat(Math.ceil(characters / Math.max(1, piece.length))).slice(0, characters);
}
