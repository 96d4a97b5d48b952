/** The id of an entry, from its index in the added list. */
export function idOf(place: number): string {
  return `entry-${place}`;
}

/** The index of the entry with an id. */
export function placeOf(id: string): number {
  return Number(id.slice('entry-'.length));
}
