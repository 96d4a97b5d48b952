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

/**
 * Escapes a text as data within markup: on one line, so that it can't pose as another speaker, and without anything that
 * ends an element or hides text. Keeps the joiners for scripts and emoji (U+200C, U+200D), and one selector after an emoji.
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
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .replace(HOSTILE, '')
    .trim();
}
