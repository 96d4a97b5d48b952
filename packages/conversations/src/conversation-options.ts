import { MemoryError, type MemoryModel, type RecordStore } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import { expectCount, expectSegment } from './expect.ts';
import { ModelProfiler } from './profile/model-profiler.ts';
import { dynamicShape, type ProfileShape, schemaShape, traitsShape } from './profile/profile-shape.ts';
import type { Profiler } from './profile/profiler.ts';
import type { StandardSchema } from './profile/standard-schema.ts';
import { ModelSummariser } from './summary/model-summariser.ts';
import type { Summariser } from './summary/summariser.ts';

/** Options of `ConversationMemory`. */
export interface ConversationMemoryOptions {
  /** Holds everything, below the namespace `conversations`. Belongs to the caller and is never closed. */
  readonly store: RecordStore;
  /** Writes summaries and profiles, unless there is a `summariser` or `profiler`. */
  readonly model?: MemoryModel | undefined;
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
  /** Lets the profiler choose the fields of a profile, at most `maxKeys` (default 12), and reuse them. */
  readonly dynamicUserProfile?: boolean | { readonly maxKeys?: number | undefined } | undefined;
  /** Whether new facts are merged into a profile or replace it. @default 'update' */
  readonly userMemoryMode?: 'update' | 'replace' | undefined;
  /** The number of newest turns that `prepare` returns; 0 for none. @default All. */
  readonly numLastMessages?: number | undefined;
  /** Whether the history and the input of summaries include tool calls and their results. @default false */
  readonly feedToolCallResults?: boolean | undefined;
  /** A `running` run that was not saved for this long counts as crashed and can be resumed. @default Never. */
  readonly staleAfterMs?: number | undefined;
  /** Replaces the built-in `ModelSummariser`. */
  readonly summariser?: Summariser | undefined;
  /** Replaces the built-in `ModelProfiler`. */
  readonly profiler?: Profiler | undefined;
}

const CONVERSATION_MEMORY: FieldNames<ConversationMemoryOptions> = {
  store: true,
  model: true,
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
  numLastMessages: true,
  feedToolCallResults: true,
  staleAfterMs: true,
  summariser: true,
  profiler: true,
};

/** Checked options, with defaults filled in. */
export interface Settings {
  readonly keepsCompleted: boolean;
  readonly keepsHistory: boolean;
  readonly summariser: Summariser | undefined;
  readonly profiling:
    | { readonly profiler: Profiler; readonly shape: ProfileShape; readonly mode: 'update' | 'replace' }
    | undefined;
  readonly loads: { readonly history: boolean; readonly summary: boolean; readonly profile: boolean };
  readonly numLastMessages: number | undefined;
  readonly feedToolCallResults: boolean;
  readonly staleAfterMs: number;
}

const SWITCHES = [
  'fullSessionMemory',
  'summaryMemory',
  'userAnalysisMemory',
  'loadFullSessionMemory',
  'loadSummaryMemory',
  'loadUserAnalysisMemory',
  'feedToolCallResults',
] as const;

/**
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options, such as a summary without a model; `UNSUPPORTED` for a store
 *   that can't hold conversations.
 */
export function checkOptions(options: ConversationMemoryOptions): Settings {
  expectKnownFields(options, CONVERSATION_MEMORY);
  checkStore(options.store);
  for (const name of SWITCHES)
    expect(['undefined', 'boolean'].includes(typeof options[name]), `${name} must be true or false.`);
  if (options.sessionId !== undefined) expectSegment(options.sessionId, 'sessionId');
  if (options.userId !== undefined) expectSegment(options.userId, 'userId');
  if (options.tenant !== undefined) expectSegment(options.tenant, 'tenant');
  expectCount(options.numLastMessages, 'numLastMessages', 0);
  expectCount(options.staleAfterMs, 'staleAfterMs', 0);
  const { fullSessionMemory = false, summaryMemory = false, userAnalysisMemory = false } = options;
  const { userMemoryMode: mode = 'update' } = options;
  expect(mode === 'update' || mode === 'replace', "userMemoryMode must be 'update' or 'replace'.");
  const shape = shapeOf(options);
  return {
    keepsCompleted: fullSessionMemory || summaryMemory || userAnalysisMemory,
    keepsHistory: fullSessionMemory,
    summariser: summaryMemory ? summariserOf(options) : undefined,
    profiling: userAnalysisMemory ? { profiler: profilerOf(options), shape, mode } : undefined,
    loads: {
      history: options.loadFullSessionMemory ?? fullSessionMemory,
      summary: options.loadSummaryMemory ?? summaryMemory,
      profile: options.loadUserAnalysisMemory ?? userAnalysisMemory,
    },
    numLastMessages: options.numLastMessages,
    feedToolCallResults: options.feedToolCallResults ?? false,
    staleAfterMs: options.staleAfterMs ?? Infinity,
  };
}

function checkStore(store: RecordStore | undefined): void {
  expect(
    typeof store?.within === 'function' && store.capabilities,
    'store must be a RecordStore, such as a FileStore.',
  );
  const { consistency, enumerate, filter } = store.capabilities;
  if (consistency === 'strong' && enumerate && filter) return;
  throw new MemoryError(
    'UNSUPPORTED',
    'Conversations need a store of strong consistency that can list and filter records.',
  );
}

function summariserOf({ summariser, model }: ConversationMemoryOptions): Summariser {
  if (summariser === undefined) {
    expect(model, '`summaryMemory` needs a `model` or a `summariser`.');
    return new ModelSummariser({ model });
  }
  expect(typeof summariser?.summarise === 'function', '`summariser` must have a summarise() method.');
  return summariser;
}

function profilerOf({ profiler, model }: ConversationMemoryOptions): Profiler {
  if (profiler === undefined) {
    expect(model, '`userAnalysisMemory` needs a `model` or a `profiler`.');
    return new ModelProfiler({ model });
  }
  expect(typeof profiler?.analyse === 'function', '`profiler` must have an analyse() method.');
  return profiler;
}

const DEFAULT_MAX_KEYS = 12;

function shapeOf({ userProfileSchema, dynamicUserProfile = false }: ConversationMemoryOptions): ProfileShape {
  expect(
    userProfileSchema === undefined || typeof userProfileSchema?.['~standard']?.validate === 'function',
    'userProfileSchema must be a Standard Schema, such as one of Zod, Valibot or ArkType.',
  );
  if (dynamicUserProfile === false)
    return userProfileSchema === undefined ? traitsShape : schemaShape(userProfileSchema);
  expect(userProfileSchema === undefined, 'Pass either `userProfileSchema` or `dynamicUserProfile`, not both.');
  expect(
    dynamicUserProfile === true || isObject(dynamicUserProfile),
    'dynamicUserProfile must be true, false or { maxKeys }.',
  );
  if (dynamicUserProfile !== true) expectKnownFields(dynamicUserProfile, { maxKeys: true }, 'dynamicUserProfile');
  const { maxKeys = DEFAULT_MAX_KEYS } = dynamicUserProfile === true ? {} : dynamicUserProfile;
  expectCount(maxKeys, 'dynamicUserProfile.maxKeys', 1);
  return dynamicShape(maxKeys);
}
