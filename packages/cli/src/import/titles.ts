/** The title of a conversation as metadata, where it has one. */
export function titleOf(title: unknown): { title?: string } {
  return typeof title === 'string' && title !== '' ? { title } : {};
}

/** Where a message stands, for people. */
export function placeInConversation(place: string, title: unknown, index: number): string {
  const name = typeof title === 'string' && title !== '' ? ` (${title.slice(0, 60)})` : '';
  return `${place}${name}, message ${index + 1}`;
}
