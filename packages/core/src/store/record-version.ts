/** The last digits of a version count the puts since the record was created. */
const SPAN = 1_000_000;

/** Random numbers, and how many are left: one alone costs as much as hundreds together. */
const prepared = /* @__PURE__ */ new Uint32Array(1_024);
let left = 0;

/**
 * The version of a record that is created. A random number in front of the count keeps it, and those of its replacements, from
 * coming again for the id: no backend need remember which versions it has deleted, not even of a namespace that was erased.
 */
export function firstVersion(): number {
  if (left === 0) left = crypto.getRandomValues(prepared).length;
  const random = prepared[--left] as number;
  return random * SPAN + 1;
}

/** How many puts a record has had since it was created: 1 if it was never replaced. */
export function putCount(version: number): number {
  return ((version - 1) % SPAN) + 1;
}
