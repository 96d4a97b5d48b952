import { MemoryError, type MemoryModel, type RecordStore } from '@keepsake/core';
import { expect, expectKnownFields, expectWhole, guarded } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import type { ConversationMemoryOptions } from './conversation-options.ts';
import { type DebugLog, debugLog } from './debug-log.ts';
import { expectCount, expectSegment } from './expect.ts';
import type { Profiling } from './processing/profile-updates.ts';
import { ModelProfiler } from './profile/model-profiler.ts';
import { MAX_KEYS } from './profile/profile-limits.ts';
import { dynamicShape, type ProfileShape, schemaShape, traitsShape } from './profile/profile-shape.ts';
import type { Profiler } from './profile/profiler.ts';
import { ModelSummariser } from './summary/model-summariser.ts';
import type { Summariser } from './summary/summariser.ts';

/** Checked options, with defaults filled in. */
export interface Settings {
  readonly keepsCompleted: boolean;
  readonly keepsHistory: boolean;
  readonly summariser: Summariser | undefined;
  readonly profiling: Profiling | undefined;
  readonly loads: { readonly history: boolean; readonly summary: boolean; readonly profile: boolean };
  readonly lastTurns: number | undefined;
  readonly lastMessages: number | undefined;
  readonly feedToolCallResults: boolean;
  readonly staleAfterMs: number;
  readonly log: DebugLog;
}

const DEFAULT_STALE_AFTER_MS = 300_000;

const SWITCHES = [
  'fullSessionMemory',
  'summaryMemory',
  'userAnalysisMemory',
  'loadFullSessionMemory',
  'loadSummaryMemory',
  'loadUserAnalysisMemory',
  'feedToolCallResults',
  'debug',
] as const;

/**
 * Checks a copy of the options.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options, such as a summary without a model; `UNSUPPORTED` for a store
 *   that can't hold conversations.
 */
export function checkOptions(options: ConversationMemoryOptions): Settings {
  guarded('`store`', () => checkStore(options.store));
  for (const name of SWITCHES)
    expect(['undefined', 'boolean'].includes(typeof options[name]), `${name} must be true or false.`);
  if (options.sessionId !== undefined) expectSegment(options.sessionId, 'sessionId');
  if (options.userId !== undefined) expectSegment(options.userId, 'userId');
  if (options.tenant !== undefined) expectSegment(options.tenant, 'tenant');
  expectCount(options.staleAfterMs, 'staleAfterMs', 0);
  const { fullSessionMemory = false, summaryMemory = false, userAnalysisMemory = false } = options;
  const { userMemoryMode: mode = 'update' } = options;
  expect(mode === 'update' || mode === 'replace', "userMemoryMode must be 'update' or 'replace'.");
  const shape = guarded('`userProfileSchema`', () => shapeOf(options));
  const model = modelOf(options);
  return {
    keepsCompleted: fullSessionMemory || summaryMemory || userAnalysisMemory,
    keepsHistory: fullSessionMemory,
    summariser: summaryMemory ? summariserOf(options, model) : undefined,
    profiling: userAnalysisMemory ? { profiler: profilerOf(options, model), shape, mode } : undefined,
    loads: {
      history: options.loadFullSessionMemory ?? fullSessionMemory,
      summary: options.loadSummaryMemory ?? summaryMemory,
      profile: options.loadUserAnalysisMemory ?? userAnalysisMemory,
    },
    ...lastsOf(options),
    feedToolCallResults: options.feedToolCallResults ?? false,
    staleAfterMs: options.staleAfterMs ?? DEFAULT_STALE_AFTER_MS,
    log: debugLog(options),
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

function lastsOf({ lastTurns, numLastMessages }: ConversationMemoryOptions) {
  expectCount(lastTurns, 'lastTurns', 0);
  expectCount(numLastMessages, 'numLastMessages', 0);
  expect(
    lastTurns === undefined || numLastMessages === undefined,
    'Pass either `lastTurns` or `numLastMessages`, not both.',
  );
  return { lastTurns, lastMessages: numLastMessages };
}

function modelOf({ model, resolveModel }: ConversationMemoryOptions): MemoryModel | undefined {
  expect(resolveModel === undefined || typeof resolveModel === 'function', '`resolveModel` must be a function.');
  if (typeof model !== 'string') return model;
  expect(
    resolveModel,
    `The model is a name. Pass resolveModel, too, such as (name) => openaiModel({ client, model: name }).`,
  );
  return resolveModel(model);
}

function summariserOf({ summariser }: ConversationMemoryOptions, model: MemoryModel | undefined): Summariser {
  if (summariser === undefined) {
    expect(model, '`summaryMemory` needs a `model` or a `summariser`.');
    return new ModelSummariser({ model });
  }
  const isSummariser = guarded('`summariser`', () => typeof summariser?.summarise === 'function');
  expect(isSummariser, '`summariser` must have a summarise() method.');
  return summariser;
}

function profilerOf({ profiler }: ConversationMemoryOptions, model: MemoryModel | undefined): Profiler {
  if (profiler === undefined) {
    expect(model, '`userAnalysisMemory` needs a `model` or a `profiler`.');
    return new ModelProfiler({ model });
  }
  const isProfiler = guarded('`profiler`', () => typeof profiler?.analyse === 'function');
  expect(isProfiler, '`profiler` must have an analyse() method.');
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
  const { maxKeys = DEFAULT_MAX_KEYS } =
    dynamicUserProfile === true ? {} : expectKnownFields(dynamicUserProfile, { maxKeys: true }, 'dynamicUserProfile');
  expectWhole(maxKeys, 'dynamicUserProfile.maxKeys', 1, MAX_KEYS);
  return dynamicShape(maxKeys);
}
