import { brokenInput } from '../broken-input.ts';

/** The title of a conversation as metadata, if it has one. */
export function titleOf(title: unknown): { title?: string } {
  return typeof title === 'string' && title !== '' ? { title } : {};
}

/** The position of a message, as printed. */
export function placeInConversation(place: string, title: unknown, index: number): string {
  const name = typeof title === 'string' && title !== '' ? ` (${title.slice(0, 60)})` : '';
  return `${place}${name}, message ${index + 1}`;
}

/**
 * The name that tells a conversation from others: its id, or else its title and time. Refuses other values than texts and
 * numbers, which would all be the same name.
 */
export function conversationName(
  { id, title, time }: { readonly id: unknown; readonly title: unknown; readonly time: unknown },
  place: string,
): string {
  for (const [field, value] of Object.entries({ id, title, time })) {
    if (typeof value !== 'object' || value === null) continue;
    throw brokenInput(`${place}: the ${field} of the conversation is an object, not a text.`);
  }
  const name = id === undefined || id === null ? '' : String(id);
  return name === '' ? `${title} ${time}` : name;
}
