/** A run of characters that nobody sees, or that reorder what is around them. */
export interface Mark {
  /** What is shown in its place. */
  readonly label: string;
  readonly title: string;
}

const NAMES: Readonly<Record<number, string>> = {
  173: 'SHY',
  1564: 'ALM',
  6158: 'MVS',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8205: 'ZWJ',
  8206: 'LRM',
  8207: 'RLM',
  8232: 'LS',
  8233: 'PS',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8288: 'WJ',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
};

/** Controls, format characters, invisible fillers, and the tags and selectors in which instructions can be hidden. */
const HIDDEN =
  /[\u{e0000}-\u{e007f}]+|([[\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]--[\n\r\t]])\1*/gv;

/** Joiners belong to the spelling of emoji and of many scripts: what is before and after such a joiner. */
const BEFORE_JOINER =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]]]$/v;
const AFTER_JOINER =
  /^[\p{Extended_Pictographic}[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]]]/v;

/** Marks in one text. A text of nothing but such characters would otherwise be a million elements. */
const MAX_MARKS = 1_000;

/** Splits a text into what can be shown as it is, and marks for what can't. */
export function splitMarks(text: string): readonly (string | Mark)[] {
  const parts: (string | Mark)[] = [];
  let from = 0;
  let marks = 0;
  for (const { 0: run, index } of text.matchAll(HIDDEN)) {
    if (isSpelling(text, run, index)) continue;
    if (index > from) parts.push(text.slice(from, index));
    from = index + run.length;
    if (++marks > MAX_MARKS) {
      parts.push({ label: '…', title: 'There are more hidden characters here than can be shown. They were left out.' });
      parts.push(text.slice(from).replaceAll(HIDDEN, ''));
      return parts;
    }
    parts.push(markOf(run));
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function isSpelling(text: string, run: string, index: number): boolean {
  if (run !== '\u200d' && run !== '\u200c') return false;
  return BEFORE_JOINER.test(text.slice(0, index).slice(-2)) && AFTER_JOINER.test(text.slice(index + 1, index + 3));
}

function markOf(run: string): Mark {
  const code = run.codePointAt(0) ?? 0;
  if (code >= 0xe0000 && code <= 0xe007f) {
    const hidden = Array.from(run, (tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)).join('');
    return {
      label: `hidden: ${hidden.replaceAll(/[^ -~]/g, '·')}`,
      title: 'Text that is written in invisible tag characters',
    };
  }
  const count = Array.from(run).length;
  const point = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return { label: `${NAMES[code] ?? point}${count > 1 ? ` ×${count}` : ''}`, title: `Invisible character ${point}` };
}
