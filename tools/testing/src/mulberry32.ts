/** Random numbers from 0 to below 1, the same for the same seed (Mulberry32). */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seed that depends on each character of a name. */
export function seedOf(name: string, seed: number): number {
  return [...name].reduce((hash, character) => Math.imul(hash ^ character.charCodeAt(0), 0x01000193), seed);
}
