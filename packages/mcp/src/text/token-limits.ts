/** The limits of a result in tokens, as `estimateTokens` counts them. */
export const TOKENS = {
  /** A tool call that sets none. */
  byDefault: 1_000,
  /** The least that a call can set: enough for one short memory with its id. */
  least: 200,
  /** The most that a call can set, and the limit of resources and graphs. */
  most: 8_000,
} as const;
