const WORD = /* @__PURE__ */ wordPattern();

// A function, because bundlers can't leave out an unused pattern that is made of parts.
function wordPattern(): RegExp {
  const marks = '.,;:!?…。！？，、"\'“”‘’„«»()\\[\\]';
  return new RegExp(`[^\\s${marks}](?:\\S*[^\\s${marks}])?`, 'g');
}

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
