export { bestPassage, type Excerpt, type ReadTerms } from './best-passage.ts';
export { sha256 } from './digest.ts';
export type { Embedder } from './embedder.ts';
export { encrypted, type KeyRing } from './encrypted.ts';
export { isMemoryError, MemoryError, type MemoryErrorCode } from './errors.ts';
export {
  type Filter,
  type Filterable,
  type FilterCondition,
  type FilterRule,
  type FilterValue,
  matchesFilter,
  parseFilter,
} from './filter.ts';
export {
  expectSuffix,
  type FunctionCallReplacement,
  type HistoryChange,
  prepareMutations,
  prepareTransaction,
  replaceFunctionCalls,
  wasApplied,
} from './history.ts';
export { canonicalJson, cloneJson, encodeJson, type JsonObject, type JsonValue } from './json.ts';
export { LIMITS } from './limits.ts';
export type { Conversation } from './manager/conversation.ts';
export { escapeText } from './manager/escape.ts';
export type { FlushResult } from './manager/extraction.ts';
export type {
  ExtractionBatch,
  ExtractionConfig,
  ExtractionTrigger,
  ExtractionTriggerContext,
  Extractor,
  MemoryChange,
} from './manager/extraction-config.ts';
export { reciprocalRankFusion } from './manager/fusion.ts';
export {
  type ContextInjector,
  type ContextInjectorOptions,
  contextInjector,
  type InjectionContext,
  type InjectionTrigger,
} from './manager/injector.ts';
export type { Logger } from './manager/logger.ts';
export type {
  InjectionConfig,
  MemoryAddOptions,
  MemoryAddResult,
  MemoryAddToolConfig,
  MemoryManagerOptions,
  MemorySearchOptions,
  MemorySearchToolConfig,
  MemoryToolConfig,
} from './manager/manager-options.ts';
export { type MemoryBlock, memoryBlock } from './manager/memory-block.ts';
export { MemoryManager } from './manager/memory-manager.ts';
export { ModelExtractor, type ModelExtractorOptions } from './manager/model-extractor.ts';
export type { ReportFailure, StoreFailure } from './manager/report.ts';
export { estimateTokens } from './manager/tokens.ts';
export { IdleTrigger, IntervalTrigger, InvocationTrigger } from './manager/triggers.ts';
export type {
  AddMessagesContext,
  MemoryEntry,
  MemoryStore,
  ScoreExplanation,
  SearchOptions,
  Turn,
} from './memory-store.ts';
export {
  type ContentBlock,
  type Message,
  messageText,
  type Role,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from './message.ts';
export { contentId, MessageRecorder } from './message-records.ts';
export type { MemoryModel } from './model.ts';
export {
  checkNamespace,
  formatNamespace,
  isWithin,
  type Namespace,
  parseNamespace,
  sameNamespace,
} from './namespace.ts';
export { namespacePage } from './namespace-page.ts';
export { type Page, type PageOptions, pageLimit, readCursor, writeCursor } from './page.ts';
export { type RecentItemsOptions, recentItems } from './recent-items.ts';
export { type PreparedRecord, prepareRecord, prepareRecords } from './record-input.ts';
export type {
  ListOptions,
  MemoryRecord,
  NamespaceInfo,
  NamespaceListOptions,
  RecordInput,
  RecordStore,
  StoreCapabilities,
  StoreIdentity,
} from './record-store.ts';
export type {
  DurableSession,
  Session,
  SessionHistoryMutation,
  SessionHistoryTransaction,
  SessionInfo,
  SessionStore,
} from './session.ts';
export { encodeItem, encodeItems, itemLimit, sameItem } from './session-items.ts';
export { checkIdentity, checkIfVersion, expectVersion, searchLimit, throwIfAborted } from './store-options.ts';
export { checkId, MAX_ID_LENGTH } from './text.ts';
export type { MemoryTool } from './tool.ts';
export { withoutToolCalls } from './tool-calls.ts';
export { uuidv7 } from './uuid.ts';
