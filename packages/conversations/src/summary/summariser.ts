import type { Said } from '../profile/profile-input.ts';

/** What a summary is made of. */
export interface SummaryInput {
  /** The summary of all that came before; `undefined` where this is the beginning. */
  readonly previous: string | undefined;
  /** What was said since, the oldest first; tools only with `feedToolCallResults`. */
  readonly said: readonly Said[];
  /** Aborted when there is no more time. */
  readonly signal: AbortSignal;
}

/** Makes the summary of a session. Replace it by one of your own as `summariser`. */
export interface Summariser {
  /** It is given at most about so many tokens of what was said at once, but one run at least. By default 8,000. */
  readonly maxTokens?: number;
  /** The new summary, in the place of the previous one. What it rejects with is reported, and the previous one stays. */
  summarise(input: SummaryInput): Promise<string>;
}
