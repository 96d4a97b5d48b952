import type { Logger, MemoryModel, RecordStore } from '@keepsake/core';
import type { Check, FieldNames } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import type { Profiler } from './profile/profiler.ts';
import type { StandardSchema } from './profile/standard-schema.ts';
import type { Summariser } from './summary/summariser.ts';

/** Options of `ConversationMemory`. */
export interface ConversationMemoryOptions {
  /** Holds everything, below the namespace `conversations`. Belongs to the caller and is never closed. */
  readonly store: RecordStore;
  /** Writes summaries and profiles, unless there is a summariser or profiler. A name needs `resolveModel`. */
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
  readonly summaryMemory?: boolean | SummaryConfig | undefined;
  /** Keeps a profile of each user, for which it stores completed runs. @default false */
  readonly userAnalysisMemory?: boolean | UserAnalysisConfig | undefined;
  /** What models see of what is stored. */
  readonly load?: LoadConfig | undefined;
  /**
   * A `running` run without a save or `heartbeat` for this many milliseconds counts as crashed and can be resumed.
   *
   * @default 300_000
   */
  readonly staleAfterMs?: number | undefined;
  /** Logs what this memory does: ids, counts and failures, never content. @default false */
  readonly debug?: boolean | DebugConfig | undefined;
}

/** How summaries are made. */
export interface SummaryConfig {
  /** Replaces the built-in `ModelSummariser`. */
  readonly summariser?: Summariser | undefined;
}

/** How profiles are made. */
export interface UserAnalysisConfig {
  /** The fields of a profile. Not with `dynamic`. @default `TRAITS_SCHEMA` */
  readonly schema?: StandardSchema | undefined;
  /** Lets the profiler choose the fields of a profile, at most `maxKeys` (default 12, at most 100), and reuse them. */
  readonly dynamic?: boolean | { readonly maxKeys?: number | undefined } | undefined;
  /** Whether new facts are merged into a profile or replace it. @default 'update' */
  readonly mode?: 'update' | 'replace' | undefined;
  /** Replaces the built-in `ModelProfiler`. */
  readonly profiler?: Profiler | undefined;
}

/** What models see. */
export interface LoadConfig {
  /** Whether `prepare` returns the history. @default Whether there is `fullSessionMemory`. */
  readonly history?: boolean | undefined;
  /** Whether `prepare` returns the summary. @default Whether there is `summaryMemory`. */
  readonly summary?: boolean | undefined;
  /** Whether `prepare` returns the profile. @default Whether there is `userAnalysisMemory`. */
  readonly profile?: boolean | undefined;
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
  readonly lastMessages?: number | undefined;
  /** Whether `prepare`, summaries and profiles include tool calls and their results. @default false */
  readonly toolCalls?: boolean | undefined;
}

/** How much is logged, and where. */
export interface DebugConfig {
  /**
   * 1 for what is prepared and saved, 2 also for updates of summaries and profiles, 3 also for heartbeats, and for runs that
   * are loaded to be resumed.
   *
   * @default 1
   */
  readonly level?: 1 | 2 | 3 | undefined;
  /** @default The console. */
  readonly logger?: Pick<Logger, 'debug'> | undefined;
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
  load: true,
  staleAfterMs: true,
  debug: true,
};

const aCount: Check = [(value) => Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number of 0 or more'];

export const SUMMARY = { summariser: ['summarise'] } satisfies Record<keyof SummaryConfig, Check>;

export const USER_ANALYSIS = {
  schema: [
    (value) => typeof (value as Partial<StandardSchema> | null)?.['~standard']?.validate === 'function',
    'a Standard Schema, such as one of Zod, Valibot or ArkType',
  ],
  dynamic: [(value) => typeof value === 'boolean' || isObject(value), 'true, false or { maxKeys }'],
  mode: [(value) => value === 'update' || value === 'replace', "'update' or 'replace'"],
  profiler: ['analyse'],
} satisfies Record<keyof UserAnalysisConfig, Check>;

export const LOAD = {
  history: 'boolean',
  summary: 'boolean',
  profile: 'boolean',
  lastTurns: aCount,
  lastMessages: aCount,
  toolCalls: 'boolean',
} satisfies Record<keyof LoadConfig, Check>;

export const DEBUG = {
  level: [(value) => value === 1 || value === 2 || value === 3, '1, 2 or 3'],
  logger: ['debug'],
} satisfies Record<keyof DebugConfig, Check>;
