/** Numbers from 0 to below 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    // A Weyl sequence, mixed by the finaliser of MurmurHash3.
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
