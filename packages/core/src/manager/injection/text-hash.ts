/** A hash of a text, to compare texts without keeping them. Not for security. */
export function textHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return `${hash >>> 0}-${text.length}`;
}
