/** The text of a write. None is part of another, and none begins like another. */
export function factOf(number: number): string {
  return `${number + 1000} is the number of this fact`;
}
