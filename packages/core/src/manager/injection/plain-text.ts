const MARKS = '.,;:!?…。！？，、"\'“”‘’„«»()\\[\\]';
const WORD = /* @__PURE__ */ new RegExp(`[^\\s${MARKS}](?:\\S*[^\\s${MARKS}])?`, 'g');

/**
 * The words of a text for comparison: in lower case, without surrounding punctuation. Keeps marks that belong to a word: C,
 * C++ and C# differ.
 */
export function plainWords(text: string): readonly string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
}

/** A text for comparison: its {@link plainWords}. */
export function plainText(text: string): string {
  return plainWords(text).join(' ');
}
