import stringWidth from 'fast-string-width';

/** A text in at most this width. A shortened one ends with an ellipsis. */
export function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let short = '';
  for (const character of text) {
    if (stringWidth(short + character) >= width) break;
    short += character;
  }
  return `${short}…`;
}
