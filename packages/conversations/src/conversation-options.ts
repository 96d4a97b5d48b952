import type { Logger, MemoryModel, RecordStore } from '@keepsake/core';
import type { FieldNames } from '@keepsake/core/adapter';
import type { Profiler } from './profile/profiler.ts';
import type { StandardSchema } from './profile/standard-schema.ts';
import type { Summariser } from './summary/summariser.ts';

/** Options of `ConversationMemory`. */
export interface ConversationMemoryOptions {
  /** Holds everything, below the namespace `conversations`. Belongs to the caller and is never closed. */
  readonly store: RecordStore;
  /** Writes summaries and profiles, unless there is a `summariser` or `profiler`. A name needs `resolveModel`. */
  readonly model?: MemoryModel | string | undefined;
  /** Returns the model with a name, such as `(name) => openaiModel({ client, model: name })`. */
  readonly resolveModel?: ((name: string) => MemoryModel) | undefined;
  /** The session of handles without a session id. By default a new one for this object. */
  readonly sessionId?: string | undefined;
  /**
   * The user of handles without a user id. By default none: then sessions have no owner, and profiles belong to sessions.
   */
  readonly userId?: string | undefined;
  /** The tenant, if several share a store. Tenants are isolated from each other. */
  readonly tenant?: string | undefined;
  /** Stores completed runs and returns their items as history. @default false */
  readonly fullSessionMemory?: boolean | undefined;
  /** Keeps a summary of each session, for which it stores completed runs. @default false */
  readonly summaryMemory?: boolean | undefined;
  /** Keeps a profile of each user, for which it stores completed runs. @default false */
  readonly userAnalysisMemory?: boolean | undefined;
  /** Whether `prepare` returns the history. @default The value of `fullSessionMemory`. */
  readonly loadFullSessionMemory?: boolean | undefined;
  /** Whether `prepare` returns the summary. @default The value of `summaryMemory`. */
  readonly loadSummaryMemory?: boolean | undefined;
  /** Whether `prepare` returns the profile. @default The value of `userAnalysisMemory`. */
  readonly loadUserAnalysisMemory?: boolean | undefined;
  /** The fields of a profile. @default `TRAITS_SCHEMA` */
  readonly userProfileSchema?: StandardSchema | undefined;
  /** Lets the profiler choose the fields of a profile, at most `maxKeys` (default 12, at most 100), and reuse them. */
  readonly dynamicUserProfile?: boolean | { readonly maxKeys?: number | undefined } | undefined;
  /** Whether new facts are merged into a profile or replace it. @default 'update' */
  readonly userMemoryMode?: 'update' | 'replace' | undefined;
  /**
   * The number of newest turns that `prepare` and `asSession` return; 0 for none. A turn begins with a message of the user.
   *
   * @default All.
   */
  readonly lastTurns?: number | undefined;
  /**
   * The maximum number of messages that `prepare` and `asSession` return, calls and results that they return included, but not
   * reasoning. They return as many of the newest turns as fit, each as a whole; without its calls if only then it fits.
   *
   * @default All.
   */
  readonly numLastMessages?: number | undefined;
  /** Whether `prepare`, summaries and profiles include tool calls and their results. @default false */
  readonly feedToolCallResults?: boolean | undefined;
  /**
   * A `running` run without a save or `heartbeat` for this many milliseconds counts as crashed and can be resumed.
   *
   * @default 300_000
   */
  readonly staleAfterMs?: number | undefined;
  /** Logs what this memory does: ids, counts and failures, never content. @default false */
  readonly debug?: boolean | undefined;
  /**
   * How much `debug` logs: 1 for what is prepared and saved, 2 also for updates of summaries and profiles, 3 also for
   * heartbeats, and for runs that are loaded to be resumed.
   *
   * @default 1
   */
  readonly debugLevel?: 1 | 2 | 3 | undefined;
  /** Receives the messages of `debug`. @default The console. */
  readonly logger?: Pick<Logger, 'debug'> | undefined;
  /** Replaces the built-in `ModelSummariser`. */
  readonly summariser?: Summariser | undefined;
  /** Replaces the built-in `ModelProfiler`. */
  readonly profiler?: Profiler | undefined;
}

/** The names of {@link ConversationMemoryOptions}. */
export const CONVERSATION_MEMORY: FieldNames<ConversationMemoryOptions> = {
  store: true,
  model: true,
  resolveModel: true,
  sessionId: true,
  userId: true,
  tenant: true,
  fullSessionMemory: true,
  summaryMemory: true,
  userAnalysisMemory: true,
  loadFullSessionMemory: true,
  loadSummaryMemory: true,
  loadUserAnalysisMemory: true,
  userProfileSchema: true,
  dynamicUserProfile: true,
  userMemoryMode: true,
  lastTurns: true,
  numLastMessages: true,
  feedToolCallResults: true,
  staleAfterMs: true,
  debug: true,
  debugLevel: true,
  logger: true,
  summariser: true,
  profiler: true,
};
