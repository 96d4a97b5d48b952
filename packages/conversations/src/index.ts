export { asSession } from './as-session.ts';
export {
  ConversationHandle,
  type PreparedInputs,
  type ProcessorFailure,
  type SaveResult,
  type UserMemory,
} from './conversation-handle.ts';
export { ConversationMemory, type ForOptions, type ListSessionsOptions } from './conversation-memory.ts';
export type { ConversationMemoryOptions } from './conversation-options.ts';
export type { ConversationKind } from './kind.ts';
export { ModelProfiler, type ModelProfilerOptions } from './model-profiler.ts';
export { ModelSummariser, type ModelSummariserOptions } from './model-summariser.ts';
export type { Profile } from './profile-records.ts';
export type { ProfileInput, Profiler } from './profiler.ts';
export type { Run, RunInput, RunStatus } from './run.ts';
export type { Said } from './said.ts';
export type { ConversationSession } from './session-records.ts';
export type { StandardSchema } from './standard-schema.ts';
export type { Summariser, SummaryInput } from './summariser.ts';
export { TRAITS_SCHEMA } from './traits.ts';
