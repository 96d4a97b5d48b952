import type { JsonObject } from '@keepsake/core';
import type { Profile } from '../profile/profile-records.ts';

/** The context for the model in the next turn. All texts are escaped, and `''` if empty. */
export interface PreparedInputs<Item extends object = JsonObject> {
  /** The newest complete turns, oldest first. */
  readonly messageHistory: Item[];
  /** `<SessionSummary>`, for the context. */
  readonly contextInjection: string;
  /** `<UserProfile>`, for the system prompt. */
  readonly systemPromptInjection: string;
  /** `<AgentMetadata>` and `<SessionMetadata>`. */
  readonly metadataInjection: string;
}

/** The result of a save. */
export interface SaveResult {
  readonly runId: string;
  /** Whether the run is stored. A completed run is not stored if no memory is on. */
  readonly stored: boolean;
  /** Its position in the session, if stored. */
  readonly seq?: number;
  /** Its version, if stored. */
  readonly version?: number;
  /** Failed updates of the summary or the profile. They are retried at the next save. */
  readonly errors: readonly ProcessorFailure[];
}

/** Why a summary or a profile was not updated. */
export interface ProcessorFailure {
  readonly processor: 'summary' | 'profile';
  readonly error: unknown;
}

/** The profile of the user of a handle. */
export interface UserMemory {
  /** `undefined` if nothing is known yet. */
  get(): Promise<Profile | undefined>;
  /** Removes it. Returns whether it existed. */
  delete(): Promise<boolean>;
}
