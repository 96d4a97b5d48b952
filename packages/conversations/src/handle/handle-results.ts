import type { JsonObject } from '@keepsake/core';
import type { Profile } from '../profile/profile-records.ts';

/** What goes before a model in the next turn. All texts are escaped, and `''` where there is nothing. */
export interface PreparedInputs<Item extends object = JsonObject> {
  /** The newest turns, whole, the oldest first. */
  readonly messageHistory: Item[];
  /** `<SessionSummary>`, for the context. */
  readonly contextInjection: string;
  /** `<UserProfile>`, for the system prompt. */
  readonly systemPromptInjection: string;
  /** `<AgentMetadata>` and `<SessionMetadata>`. */
  readonly metadataInjection: string;
}

/** How a save went. */
export interface SaveResult {
  readonly runId: string;
  /** Whether the run is stored: a completed one is not where no memory is on. */
  readonly stored: boolean;
  /** Its place in the session, where it is stored. */
  readonly seq?: number;
  /** Its version, where it is stored. */
  readonly version?: number;
  /** What could not be made of the run. It is tried again at the next save. */
  readonly errors: readonly ProcessorFailure[];
}

/** Why a summary or a profile was not made. */
export interface ProcessorFailure {
  readonly processor: 'summary' | 'profile';
  readonly error: unknown;
}

/** The profile of the user of a handle. */
export interface UserMemory {
  /** `undefined` where nothing is known yet. */
  get(): Promise<Profile | undefined>;
  /** Forgets it, and says whether there was one. */
  delete(): Promise<boolean>;
}
