export { ConversationMemory, type ForOptions } from './conversation-memory.ts';
export type { ConversationMemoryOptions } from './conversation-options.ts';
export { asSession } from './handle/as-session.ts';
export type { PrepareOptions } from './handle/conversation-context.ts';
export type { ConversationHandle } from './handle/conversation-handle.ts';
export type {
  Injections,
  PreparedInputs,
  SaveResult,
  SessionWithContext,
  UserMemory,
} from './handle/handle-results.ts';
export type { OpenRun, OpenRunInput } from './handle/open-run.ts';
export type { ListRunsOptions, ListSessionsOptions, ListUnfinishedRunsOptions } from './list-options.ts';
export type { UserErasure, UserErasureOptions } from './privacy/erase-user.ts';
export type { ProcessorFailure, ProcessorName } from './processing/catch-up.ts';
export type { CatchUpResult } from './processing/processing.ts';
export { ModelProfiler, type ModelProfilerOptions } from './profile/model-profiler.ts';
export type { Said } from './profile/profile-input.ts';
export type { Profile } from './profile/profile-records.ts';
export type { ProfileInput, Profiler } from './profile/profiler.ts';
export type { StandardSchema } from './profile/standard-schema.ts';
export { TRAITS_SCHEMA } from './profile/traits.ts';
export type { ConversationKind } from './runs/kind.ts';
export type { ListedRun, Run, RunInput, RunStatus } from './runs/run.ts';
export type { ConversationSession } from './runs/session.ts';
export type { ConversationUser } from './runs/user-lists.ts';
export { ModelSummariser, type ModelSummariserOptions } from './summary/model-summariser.ts';
export type { Summariser, SummaryInput } from './summary/summariser.ts';
