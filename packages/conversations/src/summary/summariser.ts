import type { Said } from '../profile/profile-input.ts';

/** The input of a summariser. */
export interface SummaryInput {
  /** The previous summary; `undefined` for the first. */
  readonly previous: string | undefined;
  /** The messages since then, oldest first; tool calls and results only with `load.toolCalls`. */
  readonly said: readonly Said[];
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
}

/** Writes the summary of a session. Pass your own as `summariser`. */
export interface Summariser {
  /**
   * The approximate number of tokens of the input per call. A single run may have more.
   *
   * @default 8000
   */
  readonly maxTokens?: number;
  /** Returns the new summary, which replaces the previous one. A rejection is reported, and the previous summary stays. */
  summarise(input: SummaryInput): Promise<string>;
}
