import { estimateTokens } from '@keepsake/internal';

/** The beginning of a text, up to a maximum of tokens, in whole lines if possible. Ends in `mark` if something is left out. */
export function cutToTokens(text: string, maxTokens: number, mark: string): string {
  if (estimateTokens(text) <= maxTokens) return text;
  let cut = text.slice(0, maxTokens * 3);
  // Characters outside ASCII have several bytes.
  for (let tokens = estimateTokens(cut); tokens > maxTokens; tokens = estimateTokens(cut))
    cut = cut.slice(0, Math.min(cut.length - 1, Math.floor((cut.length * maxTokens) / tokens)));
  const line = cut.lastIndexOf('\n');
  return `${(line > cut.length / 2 ? cut.slice(0, line) : cut).toWellFormed()}\n${mark}`;
}
