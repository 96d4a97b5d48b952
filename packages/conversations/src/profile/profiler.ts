import type { JsonObject } from '@keepsake/core';

/** What a profile is made of. */
export interface ProfileInput {
  /** What is known of the user; `{}` at first. */
  readonly known: JsonObject;
  /** What they have said since, the oldest first. */
  readonly said: readonly string[];
  /** The fields of the profile as JSON Schema, all of them optional; `undefined` where they can't be told. */
  readonly schema: JsonObject | undefined;
  /** With `dynamicUserProfile`: how many fields it may name beside the known ones. */
  readonly newKeys: number | undefined;
  /** Whether what it gives is merged into what is known, or takes its place. */
  readonly mode: 'update' | 'replace';
  /** Aborted when there is no more time. */
  readonly signal: AbortSignal;
}

/** Tells from what users say who they are. Replace it by one of your own as `profiler`. */
export interface Profiler {
  /** It is given at most about so many tokens of what was said at once, but one run at least. By default 8,000. */
  readonly maxTokens?: number;
  /**
   * What it has learnt, or with `mode: 'replace'` the whole profile. It is checked against the schema; what it rejects
   * with is reported, and the profile stays.
   */
  analyse(input: ProfileInput): Promise<JsonObject>;
}
