/** A JSON object of which nothing is known yet. */
export type Unknown = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a message's content: a string, or blocks of which some hold text; `''` where there is none. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) => (isObject(block) && typeof block.text === 'string' && block.text !== '' ? [block.text] : []))
    .join('\n');
}
