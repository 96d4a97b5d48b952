/** Names an entry by its place in the list that was added. */
export function idOf(place: number): string {
  return `entry-${place}`;
}

/** Where the entry of an id stands in that list. */
export function placeOf(id: string): number {
  return Number(id.slice('entry-'.length));
}
