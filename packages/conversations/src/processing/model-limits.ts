import { estimateTokens } from '@keepsake/internal';

/** The deadline for a summary or a profile. */
export const DEADLINE_MS = 60_000;

/** The markup around a message in a prompt. */
const MARKUP_TOKENS = 14;

/** The approximate number of tokens that texts take as messages in a prompt. */
export function tokensOfTexts(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text) + MARKUP_TOKENS, 0);
}
