const utf8 = /* @__PURE__ */ new TextEncoder();

/**
 * About how many tokens a text takes, without a tokenizer: one for every 3 bytes of its UTF-8. That is more than most
 * tokenizers count, in any script: about 4 characters of English, 2 of Cyrillic, 1 of Chinese are a token to them.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8.encode(text).length / 3);
}
