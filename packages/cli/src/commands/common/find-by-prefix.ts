import { usageFailure } from '../../failure.ts';

/** The shortest prefix of an id, so that a typing error does not select one. */
const MIN_CHARACTERS = 4;

/**
 * The only id that begins with the given text, for commands to which the text is no id.
 *
 * @param ids - Ids, of which some may begin with the text.
 * @throws Failure if several begin with it.
 */
export async function findByPrefix(prefix: string, ids: AsyncIterable<string>): Promise<string | undefined> {
  if (prefix.length < MIN_CHARACTERS) return undefined;
  const matches = new Set<string>();
  for await (const id of ids) {
    if (id.startsWith(prefix)) matches.add(id);
    if (matches.size > 1)
      throw usageFailure(`Several ids begin with ${prefix}: ${[...matches].join(', ')}. Use more of it.`);
  }
  return [...matches][0];
}

/** An id as somebody typed it, or copied it from a terminal, where an ellipsis shows that it is longer. */
export function typedId(text: string): string {
  return text.endsWith('…') ? text.slice(0, -1) : text;
}
