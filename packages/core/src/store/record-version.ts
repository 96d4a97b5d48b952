/** The last digits of a version count the puts since the record was created. */
const SPAN = 1_000_000;

/**
 * The version of a record that is created. A random number in front of the count keeps it, and those of its replacements, from
 * coming again for the id: no backend need remember which versions it has deleted, not even of a namespace that was erased.
 */
export function firstVersion(): number {
  // A UUID costs a tenth of four bytes alone, because runtimes prepare many at once. Its first 32 bits are random.
  const random = Number.parseInt(crypto.randomUUID().slice(0, 8), 16);
  return random * SPAN + 1;
}

/** How many puts a record has had since it was created: 1 if it was never replaced. */
export function putCount(version: number): number {
  return ((version - 1) % SPAN) + 1;
}
