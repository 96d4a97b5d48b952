export { type Fused, type FuseOptions, fuse, type Steps } from '@keepsake/internal';
export { checkLanguage } from './languages/check-language.ts';
export { LATIN_LANGUAGES, type Language, type LatinLanguage } from './languages/language.ts';
export {
  type LexicalHit,
  LexicalIndex,
  type LexicalIndexOptions,
  type LexicalSearchOptions,
} from './lexical/lexical-index.ts';
export type { Matches, Matching } from './lexical/matching.ts';
export { changeGuarded, type GuardedChange, type GuardedResult } from './log/guarded-change.ts';
export { LOG_STORE_OPTIONS, LogStore, type LogStoreOptions } from './log/log-store.ts';
export type {
  DecideChanges,
  IndexWriter,
  LogChange,
  LoggedRecord,
  LogPart,
  LogPosition,
  LogRange,
  RecordLog,
  RecordLogs,
  SavedIndex,
} from './log/record-log.ts';
export { readRecord, writeRecord } from './log/record-text.ts';
export { type SeenInNamespace, SeenRecords } from './log/seen-records.ts';
export type { ConversationSearchOptions } from './ranking/conversation-ranking.ts';
export { EMBEDDED_STORE_OPTIONS, EmbeddedStore, type EmbeddedStoreOptions } from './records/embedded-store.ts';
export { NamespaceOrder } from './records/namespace-order.ts';
export { RecentRecords } from './records/recent-records.ts';
export type { RecordChange, RecordPlace, RecordSpace, RecordView, SearchedPlace } from './records/record-space.ts';
export { type PlaceFormat, RecordTable, type RecordTableOptions, type TableSearch } from './records/record-table.ts';
export { type StoredRecord, toRecord } from './records/stored-record.ts';
export { isUnusable, type Pieces } from './snapshot/snapshot.ts';
export type { StoredBytes } from './snapshot/stored-bytes.ts';
export { type AnalyseOptions, analyse } from './text/analyse.ts';
export type { VectorComparison, VectorSearchOptions } from './vectors/comparison.ts';
export { checkEmbedder, embed } from './vectors/embed.ts';
export type { VectorHit } from './vectors/slots.ts';
export { VectorIndex, type VectorIndexOptions } from './vectors/vector-index.ts';
