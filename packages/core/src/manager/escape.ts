/**
 * Characters that say nothing, or mislead: controls, what turns the direction of text, what has no width or no look, halves
 * of pairs; what chooses the look of another but for emoji, since texts can be hidden in such.
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
 * A text as data within markup: on one line, so that no line of it can pose as another speaker's, and with nothing
 * that ends an element or hides what it says. The joiners that scripts and emoji need (U+200C, U+200D) stay, and one
 * selector after an emoji.
 */
export function escapeText(text: string): string {
  return plainText(text).replace(/[&<>]/g, (character) => ENTITIES[character] as string);
}

/** A text as the value of an attribute, in quotes of either kind. */
export function escapeAttribute(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

function plainText(text: string): string {
  return text
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .replace(HOSTILE, '')
    .trim();
}
