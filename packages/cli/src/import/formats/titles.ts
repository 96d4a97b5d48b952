/** The title of a conversation as metadata, if it has one. */
export function titleOf(title: unknown): { title?: string } {
  return typeof title === 'string' && title !== '' ? { title } : {};
}

/** The position of a message, as printed. */
export function placeInConversation(place: string, title: unknown, index: number): string {
  const name = typeof title === 'string' && title !== '' ? ` (${title.slice(0, 60)})` : '';
  return `${place}${name}, message ${index + 1}`;
}
