const MARKS = '.,;:!?…。！？，、"\'“”‘’„«»()\\[\\]';
const WORD = /* @__PURE__ */ new RegExp(`[^\\s${MARKS}](?:\\S*[^\\s${MARKS}])?`, 'g');

/**
 * The words of a text as they are compared with those of others: in lower case, without the marks around them. What is in
 * a word stays: C, C++ and C# are not the same.
 */
export function plainWords(text: string): readonly string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
}

/** A text as it is compared with others: its {@link plainWords}. */
export function plainText(text: string): string {
  return plainWords(text).join(' ');
}
