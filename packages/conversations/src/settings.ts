import { MemoryError, type MemoryModel, type RecordStore } from '@keepsake/core';
import { type Check, expect, expectFields, expectKnownFields, expectWhole, guarded } from '@keepsake/core/adapter';
import {
  type ConversationMemoryOptions,
  DEBUG,
  type DebugConfig,
  LOAD,
  SUMMARY,
  type SummaryConfig,
  USER_ANALYSIS,
  type UserAnalysisConfig,
} from './conversation-options.ts';
import { expectCount, expectSegment } from './expect.ts';
import type { Profiling } from './processing/profile-updates.ts';
import { ModelProfiler } from './profile/model-profiler.ts';
import { MAX_KEYS } from './profile/profile-limits.ts';
import { dynamicShape, type ProfileShape, schemaShape, traitsShape } from './profile/profile-shape.ts';
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
  readonly toolCalls: boolean;
  readonly staleAfterMs: number;
  readonly log: DebugLog;
}

const DEFAULT_STALE_AFTER_MS = 300_000;

/**
 * Checks a copy of the options.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options, such as a summary without a model; `UNSUPPORTED` for a store
 *   that can't hold conversations.
 */
export function checkOptions(options: ConversationMemoryOptions): Settings {
  guarded('`store`', () => checkStore(options.store));
  const { fullSessionMemory = false } = options;
  expect(typeof fullSessionMemory === 'boolean', '`fullSessionMemory` must be true or false.');
  if (options.sessionId !== undefined) expectSegment(options.sessionId, 'sessionId');
  if (options.userId !== undefined) expectSegment(options.userId, 'userId');
  if (options.tenant !== undefined) expectSegment(options.tenant, 'tenant');
  expectCount(options.staleAfterMs, 'staleAfterMs', 0);
  const load = expectFields(options.load === undefined ? {} : options.load, 'load', LOAD);
  const { lastTurns, lastMessages } = load;
  expect(
    lastTurns === undefined || lastMessages === undefined,
    'Pass either `load.lastTurns` or `load.lastMessages`, not both.',
  );
  const model = modelOf(options);
  const summary = configOf(options.summaryMemory, 'summaryMemory', SUMMARY);
  const analysis = configOf(options.userAnalysisMemory, 'userAnalysisMemory', USER_ANALYSIS);
  return {
    keepsCompleted: fullSessionMemory || summary !== undefined || analysis !== undefined,
    keepsHistory: fullSessionMemory,
    summariser: summary && summariserOf(summary, model),
    profiling: analysis && profilingOf(analysis, model),
    loads: {
      history: load.history ?? fullSessionMemory,
      summary: load.summary ?? summary !== undefined,
      profile: load.profile ?? analysis !== undefined,
    },
    lastTurns,
    lastMessages,
    toolCalls: load.toolCalls ?? false,
    staleAfterMs: options.staleAfterMs ?? DEFAULT_STALE_AFTER_MS,
    log: debugLog(configOf(options.debug, 'debug', DEBUG)),
  };
}

/** A checked copy of settings that can be a switch instead. */
function configOf<Config extends object>(
  config: boolean | Config | undefined,
  name: string,
  checks: Readonly<Record<keyof Config, Check>>,
): Config | undefined {
  if (config === undefined || config === false) return undefined;
  return config === true ? ({} as Config) : expectFields(config, name, checks);
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

function modelOf({ model, resolveModel }: ConversationMemoryOptions): MemoryModel | undefined {
  expect(resolveModel === undefined || typeof resolveModel === 'function', '`resolveModel` must be a function.');
  if (typeof model !== 'string') return model;
  expect(
    resolveModel,
    `The model is a name. Pass resolveModel, too, such as (name) => openaiModel({ client, model: name }).`,
  );
  return resolveModel(model);
}

function summariserOf({ summariser }: SummaryConfig, model: MemoryModel | undefined): Summariser {
  if (summariser !== undefined) return summariser;
  expect(model, '`summaryMemory` needs a `model` or a `summariser`.');
  return new ModelSummariser({ model });
}

function profilingOf(config: UserAnalysisConfig, model: MemoryModel | undefined): Profiling {
  const { mode = 'update' } = config;
  const shape = shapeOf(config);
  if (config.profiler !== undefined) return { profiler: config.profiler, shape, mode };
  expect(model, '`userAnalysisMemory` needs a `model` or a `profiler`.');
  return { profiler: new ModelProfiler({ model }), shape, mode };
}

const DEFAULT_MAX_KEYS = 12;

function shapeOf({ schema, dynamic = false }: UserAnalysisConfig): ProfileShape {
  if (dynamic === false) return schema === undefined ? traitsShape : schemaShape(schema);
  expect(schema === undefined, 'Pass either `userAnalysisMemory.schema` or `userAnalysisMemory.dynamic`, not both.');
  const name = 'userAnalysisMemory.dynamic';
  const { maxKeys = DEFAULT_MAX_KEYS } = dynamic === true ? {} : expectKnownFields(dynamic, { maxKeys: true }, name);
  expectWhole(maxKeys, `${name}.maxKeys`, 1, MAX_KEYS);
  return dynamicShape(maxKeys);
}

/** Logs a message if the level of the settings is at least `level`. Messages have no content of users. */
type DebugLog = (level: 1 | 2 | 3, message: string) => void;

/** Logs nothing without settings. */
function debugLog(config: DebugConfig | undefined): DebugLog {
  if (config === undefined) return () => {};
  const { level: maxLevel = 1, logger = console } = config;
  return (level, message) => {
    if (level > maxLevel) return;
    try {
      logger.debug(`keepsake: ${message}`);
    } catch {
      // A failing logger must not stop working code.
    }
  };
}
