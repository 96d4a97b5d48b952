/** So many UTF-16 code units, and one more, are at most 1 MiB of UTF-8 whatever they say. */
const MAX_UNITS = 349_000;

/** A text in pieces that fit into records each; none ends within a surrogate pair. */
export function splitText(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + MAX_UNITS, text.length);
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end--;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
