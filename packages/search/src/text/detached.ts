/** A copy of a string that does not keep a longer one in memory: engines store a slice as a view of its source. */
export function detached(text: string): string {
  return ` ${text}`.slice(1);
}
