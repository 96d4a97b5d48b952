/** The sizes, the number of rounds, and whether peers take part. */
export interface Scale {
  /** Items of a short and of a long history. */
  readonly short: number;
  readonly long: number;
  readonly rounds: number;
  /** The number of concurrent appends per process, and the number of processes. */
  readonly atOnce: number;
  readonly processes: number;
  readonly withPeers: boolean;
}

export const FULL: Scale = { short: 100, long: 100_000, rounds: 25, atOnce: 50, processes: 8, withPeers: true };
export const QUICK: Scale = { short: 20, long: 400, rounds: 2, atOnce: 10, processes: 2, withPeers: false };

/** A number of items in words. */
export function inWords(items: number): string {
  return items.toLocaleString('en');
}
