/**
 * About how many tokens a text takes: one for every 3 bytes of its UTF-8. That is more than most tokenizers count, in any
 * script, so that what is cut to fit does fit.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}
