export { isMemoryError, MemoryError, type MemoryErrorCode } from './common/errors.ts';
export type { JsonInput, JsonObject, JsonObjectInput, JsonValue } from './json/json.ts';
export type { Conversation } from './manager/conversation.ts';
export type { DeadLetter } from './manager/extraction/dead-letters.ts';
export type {
  ExtractionBatch,
  ExtractionConfig,
  ExtractionTrigger,
  ExtractionTriggerContext,
  Extractor,
  MemoryChange,
} from './manager/extraction/extraction-config.ts';
export type { FlushResult } from './manager/extraction/flush-result.ts';
export { ModelExtractor, type ModelExtractorOptions } from './manager/extraction/model-extractor.ts';
export { IdleTrigger, IntervalTrigger, InvocationTrigger } from './manager/extraction/triggers.ts';
export {
  type ContextInjector,
  contextInjector,
  type InjectedBlock,
  type InjectOptions,
} from './manager/injection/injector.ts';
export type {
  ContextInjectorOptions,
  InjectionContext,
  InjectionTrigger,
} from './manager/injection/injector-options.ts';
export { type ConversationOptions, MemoryManager } from './manager/memory-manager.ts';
export type { Logger } from './manager/options/logger.ts';
export type {
  InjectionConfig,
  ListedMemory,
  MemoryAddOptions,
  MemoryAddResult,
  MemoryForgetOptions,
  MemoryForgetResult,
  MemoryListOptions,
  MemoryManagerOptions,
  MemorySearchOptions,
} from './manager/options/manager-options.ts';
export type { StoreFailure } from './manager/search/report.ts';
export type { TurnContext, TurnOptions, TurnResult } from './manager/turn.ts';
export type { Embedder } from './model/embedder.ts';
export {
  type ContentBlock,
  type Message,
  messageText,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from './model/message.ts';
export type { MemoryModel } from './model/model.ts';
export type { MemoryTool } from './model/tool.ts';
export { type RecentItemsOptions, recentItems } from './session/recent-items.ts';
export type {
  AnyItem,
  DurableSession,
  Session,
  SessionHistoryMutation,
  SessionHistoryOperation,
  SessionHistoryTransaction,
  SessionInfo,
  SessionListOptions,
  SessionStore,
} from './session/session.ts';
export type { Filter, FilterValue } from './store/filter.ts';
export type {
  AddMessagesContext,
  MemoryEntry,
  MemoryStore,
  ScoreExplanation,
  SearchOptions,
  Turn,
} from './store/memory-store.ts';
export { formatNamespace, type Namespace, parseNamespace } from './store/namespace.ts';
export type { Page, PageOptions } from './store/page.ts';
export type { RecordSource } from './store/record-source.ts';
export type {
  CompactOptions,
  GetOptions,
  ListOptions,
  MemoryRecord,
  NamespaceInfo,
  NamespaceListOptions,
  RecordInput,
  RecordSearchOptions,
  RecordStore,
  StoreCapabilities,
  StoreIdentity,
} from './store/record-store.ts';
export type { StoreExtraction } from './store/store-extraction.ts';
