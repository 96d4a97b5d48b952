const utf8 = /* @__PURE__ */ new TextEncoder();

/**
 * Estimates the tokens of a text without a tokenizer: 1 for every 3 bytes of its UTF-8. That is more than most tokenizers
 * count in any script (about 4 characters of English, 2 of Cyrillic or 1 of Chinese are a token), so a text that is cut to
 * fit does fit.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8.encode(text).length / 3);
}
