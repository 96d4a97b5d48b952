/** The class of a character for the tokenizer. The numbers are bytes of a table, in which 0 means "not looked up yet". */
const SEPARATOR = 1;
export const WORD = 2;
export const SPACELESS = 3;
export const JOINER = 4;
export const EMOJI = 5;

export type CharacterClass = typeof SEPARATOR | typeof WORD | typeof SPACELESS | typeof JOINER | typeof EMOJI;

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;
// Scripts that put no spaces between words, with what they share (ー, 々).
const SPACELESS_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
// With the letters of flags.
const EMOJI_CHARACTER = /(?![©®])[\p{Extended_Pictographic}\p{RI}]/u;
const JOINERS = "'-.,:/";

/** By code point. Allocates memory only for code points in use. */
const table = new Uint8Array(0x110000);

/** The class of the character that begins at `index`; that of a lone surrogate is `SEPARATOR`. */
export function characterClassAt(text: string, index: number): CharacterClass {
  // Surrogates are not in the table.
  const knownClass = table[text.charCodeAt(index)] as number;
  return (knownClass === 0 ? classOf(text.codePointAt(index) as number) : knownClass) as CharacterClass;
}

function classOf(point: number): CharacterClass {
  const knownClass = table[point] as number;
  if (knownClass !== 0) return knownClass as CharacterClass;
  if (point >= 0xd800 && point < 0xe000) return SEPARATOR;
  const newClass = classify(String.fromCodePoint(point));
  table[point] = newClass;
  return newClass;
}

function classify(character: string): CharacterClass {
  if (JOINERS.includes(character)) return JOINER;
  if (EMOJI_CHARACTER.test(character)) return EMOJI;
  if (!WORD_CHARACTER.test(character)) return SEPARATOR;
  return SPACELESS_SCRIPT.test(character) ? SPACELESS : WORD;
}

/** The number of UTF-16 units of the character at `index`. */
export function widthAt(text: string, index: number): 1 | 2 {
  const unit = text.charCodeAt(index);
  if (unit < 0xd800 || unit >= 0xdc00) return 1;
  const next = text.charCodeAt(index + 1);
  return next >= 0xdc00 && next < 0xe000 ? 2 : 1;
}
