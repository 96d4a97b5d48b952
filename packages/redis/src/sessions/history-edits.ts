/** Edits that turn one list of items into another: first the replacements, then the drops, by index in the old list. */
export interface Edits {
  readonly replaced: readonly (readonly [index: number, item: string])[];
  readonly dropped: readonly number[];
}

/**
 * The edits from one history to another that is not longer. They are always right, and few if the histories differ in few
 * places.
 */
export function editsBetween(before: readonly string[], after: readonly string[]): Edits {
  const replaced: [number, string][] = [];
  const dropped: number[] = [];
  const surplus = () => before.length - after.length - dropped.length;
  let index = 0;
  for (const item of after) {
    const skipped = distance(before, index, item, surplus()) ?? 0;
    for (let end = index + skipped; index < end; index++) dropped.push(index);
    if (before[index] !== item) replaced.push([index, item]);
    index++;
  }
  for (; index < before.length; index++) dropped.push(index);
  return { replaced, dropped };
}

/** How far after an index the item is, if that is at most `limit`. */
function distance(items: readonly string[], index: number, item: string, limit: number): number | undefined {
  for (let skipped = 0; skipped <= limit; skipped++) if (items[index + skipped] === item) return skipped;
  return undefined;
}
