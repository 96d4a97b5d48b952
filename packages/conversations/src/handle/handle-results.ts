import type { JsonObject, Session } from '@keepsake/core';
import type { CatchUpResult } from '../processing/processing.ts';
import type { Profile } from '../profile/profile-records.ts';

/** What a model should know besides the history. All texts are escaped, and `''` if empty. */
export interface Injections {
  /** `<SessionSummary>`, for the context. */
  readonly contextInjection: string;
  /** `<UserProfile>`, for the system prompt. */
  readonly systemPromptInjection: string;
  /** `<AgentMetadata>` and `<SessionMetadata>`. */
  readonly metadataInjection: string;
}

/** The context for the model in the next turn. */
export interface PreparedInputs<Item extends object = JsonObject> extends Injections {
  /** The newest complete turns, oldest first. */
  readonly messageHistory: Item[];
}

/** A plain session that also knows what a model should know besides the history. */
export interface SessionWithContext<Item extends object = JsonObject> extends Session<Item> {
  /** The items of the last `lastTurns` turns, or the whole history; with `limit`, the newest of these. */
  getItems(limit?: number): Promise<Item[]>;
  /** The summary, the profile and the session's metadata, as `prepare` returns them. */
  getContext(): Promise<Injections>;
}

/** The result of a save. */
export interface SaveResult extends CatchUpResult {
  readonly runId: string;
  /** Whether the run is stored. A completed run is not stored if no memory is on. */
  readonly stored: boolean;
  /** Its position in the session, if stored. */
  readonly seq?: number;
  /** Its version, if stored. */
  readonly version?: number;
}

/** The profile of the user of a handle. */
export interface UserMemory {
  /** `undefined` if nothing is known yet. */
  get(): Promise<Profile | undefined>;
  /** Removes it. Returns whether it existed. */
  delete(): Promise<boolean>;
}
