import type { TextLength } from './texts.ts';

/** How many texts are searched, and how often. */
export interface TextScale {
  readonly entries: number;
  readonly length: TextLength;
  readonly rounds: number;
  /** Searches of a round. */
  readonly searches: number;
  /** How often all is added from the start, by Keepsake and by peers. */
  readonly builds: number;
  readonly peerBuilds: number;
}
