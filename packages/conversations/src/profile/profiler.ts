import type { JsonObject } from '@keepsake/core';
import type { Said } from './profile-input.ts';

/** The input of a profiler. */
export interface ProfileInput {
  /** The current profile; `{}` at first. */
  readonly known: JsonObject;
  /** What was said in the role of the user since then, oldest first. In a group chat, with the names of the speakers. */
  readonly said: readonly Said[];
  /** The calls of tools and their results since then, as JSON; only with `load.toolCalls`. */
  readonly tools: readonly string[];
  /** The fields of the profile as JSON Schema, all optional; `undefined` if unknown. */
  readonly schema: JsonObject | undefined;
  /** With `dynamic`: how many more fields it may name. */
  readonly newKeys: number | undefined;
  /** Whether the answer is merged into the profile, where `null` removes a field, or replaces it. */
  readonly mode: 'update' | 'replace';
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
}

/** Learns about users from their messages. Pass your own as `profiler`. */
export interface Profiler {
  /**
   * The approximate number of tokens of `said` and `tools` per call. A single run may have more.
   *
   * @default 8000
   */
  readonly maxTokens?: number;
  /**
   * Returns new facts as JSON Merge Patch (RFC 7396), where `null` removes a field; with `mode: 'replace'` the whole profile.
   * Fields that do not match the schema are reported and stay as they are. A rejection is reported, and the profile stays
   * unchanged.
   */
  analyse(input: ProfileInput): Promise<JsonObject>;
}
