/**
 * A text as it is compared with others: in lower case, its words alone. `''` only where it says nothing.
 */
export function plainText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase();
  return folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim() || folded.trim();
}
