/** This many UTF-16 code units plus one never exceed 1 MiB of UTF-8. */
const MAX_UNITS = 349_000;

/** Splits a text into pieces that fit into a record, never within a surrogate pair. */
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
