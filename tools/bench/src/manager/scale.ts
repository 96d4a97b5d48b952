/** The sizes, the number of rounds, and whether peers take part. */
export interface Scale {
  readonly rounds: number;
  /** The records of the store that is searched. */
  readonly records: number;
  /** The number of floods, and the turns of each: enough to fill the buffer, and many more. */
  readonly floods: number;
  readonly turns: readonly [number, number];
  readonly withPeers: boolean;
}
