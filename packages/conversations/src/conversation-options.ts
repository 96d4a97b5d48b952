import { MemoryError, type MemoryModel, type RecordStore } from '@keepsake/core';
import { expect, expectCount, expectSegment } from './expect.ts';
import { ModelProfiler } from './profile/model-profiler.ts';
import { dynamicShape, type ProfileShape, schemaShape, traitsShape } from './profile/profile-shape.ts';
import type { Profiler } from './profile/profiler.ts';
import type { StandardSchema } from './profile/standard-schema.ts';
import { isJsonObject } from './summary/json-answer.ts';
import { ModelSummariser } from './summary/model-summariser.ts';
import type { Summariser } from './summary/summariser.ts';

/** How to make a `ConversationMemory`. */
export interface ConversationMemoryOptions {
  /** Where everything lies, below the namespace `conversations`. It is the caller's, and is never closed. */
  readonly store: RecordStore;
  /** Writes summaries and profiles, where no `summariser` or `profiler` does. */
  readonly model?: MemoryModel | undefined;
  /** The session of handles that name none. By default a fresh one, for this object. */
  readonly sessionId?: string | undefined;
  /** The user of handles that name none. By default nobody: sessions belong to no one then, and a profile to its session. */
  readonly userId?: string | undefined;
  /** Whose conversations these are, where several share a store: nothing of one tenant is seen by another. */
  readonly tenant?: string | undefined;
  /** Stores completed runs, and gives their items as history. Default false. */
  readonly fullSessionMemory?: boolean | undefined;
  /** Keeps a summary of each session. Completed runs are stored for it. Default false. */
  readonly summaryMemory?: boolean | undefined;
  /** Keeps a profile of each user. Completed runs are stored for it. Default false. */
  readonly userAnalysisMemory?: boolean | undefined;
  /** Whether `prepare` gives the history. By default as `fullSessionMemory`. */
  readonly loadFullSessionMemory?: boolean | undefined;
  /** Whether `prepare` gives the summary. By default as `summaryMemory`. */
  readonly loadSummaryMemory?: boolean | undefined;
  /** Whether `prepare` gives the profile. By default as `userAnalysisMemory`. */
  readonly loadUserAnalysisMemory?: boolean | undefined;
  /** The fields of a profile. By default those of `TRAITS_SCHEMA`. */
  readonly userProfileSchema?: StandardSchema | undefined;
  /** Has the profiler name the fields of a profile: up to `maxKeys`, by default 12, which it uses again from then on. */
  readonly dynamicUserProfile?: boolean | { readonly maxKeys?: number } | undefined;
  /** Whether what is learnt is merged into a profile, or replaces it. Default `'update'`. */
  readonly userMemoryMode?: 'update' | 'replace' | undefined;
  /** How many turns of the history `prepare` gives, the newest; 0 for none. By default all. */
  readonly numLastMessages?: number | undefined;
  /** Whether the history, and what summaries are made of, has tool calls and their results. Default false. */
  readonly feedToolCallResults?: boolean | undefined;
  /** A `running` run that was not saved for so long has crashed, and can be resumed. By default none has. */
  readonly staleAfterMs?: number | undefined;
  /** In the place of the built-in `ModelSummariser`. */
  readonly summariser?: Summariser | undefined;
  /** In the place of the built-in `ModelProfiler`. */
  readonly profiler?: Profiler | undefined;
}

/** Options that were checked, with their defaults filled in. */
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
 * @throws MemoryError `INVALID_ARGUMENT` for options that can't work, such as a summary without a model; `UNSUPPORTED` for
 *   a store that can't hold conversations.
 */
export function checkOptions(options: ConversationMemoryOptions): Settings {
  checkStore(options?.store);
  for (const name of SWITCHES)
    expect(['undefined', 'boolean'].includes(typeof options[name]), `${name} is to be true or false.`);
  if (options.sessionId !== undefined) expectSegment(options.sessionId, 'sessionId');
  if (options.userId !== undefined) expectSegment(options.userId, 'userId');
  if (options.tenant !== undefined) expectSegment(options.tenant, 'tenant');
  expectCount(options.numLastMessages, 'numLastMessages', 0);
  expectCount(options.staleAfterMs, 'staleAfterMs', 0);
  const { fullSessionMemory = false, summaryMemory = false, userAnalysisMemory = false } = options;
  const { userMemoryMode: mode = 'update' } = options;
  expect(mode === 'update' || mode === 'replace', "userMemoryMode is to be 'update' or 'replace'.");
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
    'store is to be a RecordStore, such as a FileStore.',
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
    expect(model, 'summaryMemory needs a model, or a summariser of yours.');
    return new ModelSummariser({ model });
  }
  expect(typeof summariser?.summarise === 'function', 'summariser is to have summarise().');
  return summariser;
}

function profilerOf({ profiler, model }: ConversationMemoryOptions): Profiler {
  if (profiler === undefined) {
    expect(model, 'userAnalysisMemory needs a model, or a profiler of yours.');
    return new ModelProfiler({ model });
  }
  expect(typeof profiler?.analyse === 'function', 'profiler is to have analyse().');
  return profiler;
}

const DEFAULT_MAX_KEYS = 12;

function shapeOf({ userProfileSchema, dynamicUserProfile = false }: ConversationMemoryOptions): ProfileShape {
  expect(
    userProfileSchema === undefined || typeof userProfileSchema?.['~standard']?.validate === 'function',
    'userProfileSchema is to be a Standard Schema, such as one of Zod, Valibot or ArkType.',
  );
  if (dynamicUserProfile === false)
    return userProfileSchema === undefined ? traitsShape : schemaShape(userProfileSchema);
  expect(
    userProfileSchema === undefined,
    'Either userProfileSchema names the fields, or dynamicUserProfile has them found.',
  );
  expect(
    dynamicUserProfile === true || isJsonObject(dynamicUserProfile),
    'dynamicUserProfile is to be true, false or { maxKeys }.',
  );
  const { maxKeys = DEFAULT_MAX_KEYS } = dynamicUserProfile === true ? {} : dynamicUserProfile;
  expectCount(maxKeys, 'dynamicUserProfile.maxKeys', 1);
  return dynamicShape(maxKeys);
}
