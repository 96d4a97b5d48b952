/**
 * Invisible or misleading characters: controls, direction changes, zero-width characters, lone surrogates, and variation
 * selectors except for emoji, because they can hide text.
 */
const HOSTILE = /[\p{Cc}\p{Cs}]|(?<!\p{Emoji})[\ufe0e\ufe0f]|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{DI}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that look like the brackets of markup, in any script. Models and people read them as such. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '\u{ff1c}': '<',
  '\u{fe64}': '<',
  '\u{27e8}': '<',
  '\u{2329}': '<',
  '\u{276c}': '<',
  '\u{276e}': '<',
  '\u{2770}': '<',
  '\u{1438}': '<',
  '\u{2c2}': '<',
  '\u{2039}': '<',
  '\u{3008}': '<',
  '\u{16b2}': '<',
  '\u{ff1e}': '>',
  '\u{fe65}': '>',
  '\u{27e9}': '>',
  '\u{232a}': '>',
  '\u{276d}': '>',
  '\u{276f}': '>',
  '\u{2771}': '>',
  '\u{1433}': '>',
  '\u{2c3}': '>',
  '\u{203a}': '>',
  '\u{3009}': '>',
};
const LOOK_ALIKE =
  /[\uff1c\ufe64\u27e8\u2329\u276c\u276e\u2770\u1438\u02c2\u2039\u3008\u16b2\uff1e\ufe65\u27e9\u232a\u276d\u276f\u2771\u1433\u02c3\u203a\u3009]/g;

/**
 * Escapes a text as data within markup: on one line, so that it can't pose as another speaker, and without anything that
 * ends an element, looks like its brackets, or hides text. Keeps the joiners for scripts and emoji (U+200C, U+200D), and one selector after an emoji.
 */
export function escapeText(text: string): string {
  return plainText(text).replace(/[&<>]/g, (character) => ENTITIES[character] as string);
}

/** Escapes a text as an attribute value, for either kind of quotes. */
export function escapeAttribute(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

function plainText(text: string): string {
  return text
    .replace(LOOK_ALIKE, (character) => LOOK_ALIKES[character] as string)
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .replace(HOSTILE, '')
    .trim();
}
