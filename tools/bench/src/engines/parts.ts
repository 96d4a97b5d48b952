/** All runs of so many characters in the words of a text, in lower case, and shorter words whole. */
export function partsOf(text: string, size: number): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => {
    const characters = [...word];
    const count = Math.max(1, characters.length - size + 1);
    return Array.from({ length: count }, (_, start) => characters.slice(start, start + size).join(''));
  });
}
