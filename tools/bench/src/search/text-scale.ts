import type { TextLength } from './texts.ts';

/** How many texts are searched, and how often. */
export interface TextScale {
  readonly entries: number;
  readonly length: TextLength;
  readonly rounds: number;
  /** Searches per round. */
  readonly searches: number;
  /** The number of full builds by Keepsake and by peers. */
  readonly builds: number;
  readonly peerBuilds: number;
}
