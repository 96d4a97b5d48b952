/** The sizes, the number of rounds, and whether peers take part. */
export interface SearchScale {
  readonly entries: number;
  readonly longEntries: number;
  readonly rounds: number;
  /** Searches per round: by words and by vectors. */
  readonly searches: number;
  readonly vectorSearches: number;
  /** The number of full builds by Keepsake and by peers, and the number of reopenings. */
  readonly builds: number;
  readonly peerBuilds: number;
  readonly reopenings: number;
  readonly withPeers: boolean;
}
