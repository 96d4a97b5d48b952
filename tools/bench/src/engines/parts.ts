/** The groups of adjacent characters, of a given length, in the words of a text, in lower case. Shorter words stay whole. */
export function partsOf(text: string, size: number): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => {
    const characters = [...word];
    const count = Math.max(1, characters.length - size + 1);
    return Array.from({ length: count }, (_, start) => characters.slice(start, start + size).join(''));
  });
}
