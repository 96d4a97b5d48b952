/** What makes one list of items of another: first the replacements, then the drops, both by index in the old list. */
export interface Edits {
  readonly replaced: readonly (readonly [index: number, item: string])[];
  readonly dropped: readonly number[];
}

/**
 * The edits from one history to another that is no longer, and differs in few places. Whatever it differs in they are
 * right; only how few they are is guessed.
 */
export function editsBetween(before: readonly string[], after: readonly string[]): Edits {
  const replaced: [number, string][] = [];
  const dropped: number[] = [];
  const surplus = () => before.length - after.length - dropped.length;
  let place = 0;
  for (const item of after) {
    const skipped = distance(before, place, item, surplus()) ?? 0;
    for (let end = place + skipped; place < end; place++) dropped.push(place);
    if (before[place] !== item) replaced.push([place, item]);
    place++;
  }
  for (; place < before.length; place++) dropped.push(place);
  return { replaced, dropped };
}

/** How far on from `place` the item stands, at most so far. */
function distance(items: readonly string[], place: number, item: string, most: number): number | undefined {
  for (let skipped = 0; skipped <= most; skipped++) if (items[place + skipped] === item) return skipped;
  return undefined;
}
