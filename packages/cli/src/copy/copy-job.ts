/** What a copy did so far, and how it is stopped. */
export interface CopyJob {
  readonly signal: AbortSignal;
  /** The numbers of records and sessions that were copied and that were there already. */
  readonly records: CopyTally;
  readonly sessions: CopyTally;
  /** Called after each step. */
  onStep(): void;
}

export interface CopyTally {
  copied: number;
  alreadyThere: number;
}

/** What a comparison found. */
export interface Comparison {
  records: number;
  sessions: number;
  items: number;
  /** What is not the same at the destination, as printed: `memory x of u:alice`. */
  readonly differences: string[];
}
