export { AbstractRecordStore, type RecordStoreOptions } from './adapter/abstract-record-store.ts';
export { AbstractSession } from './adapter/abstract-session.ts';
export { CursorSeal } from './adapter/cursor-seal.ts';
export { type IndexedField, indexedFields } from './adapter/indexed-fields.ts';
export { checkRemoval, keptRecord } from './adapter/kept-record.ts';
export { nextNamespaces, nextNamespacesOf } from './adapter/next-namespaces.ts';
export { AppliedOperations, OPERATION_IDS } from './adapter/operation-ids.ts';
export type {
  IdentifiedRecord,
  NamespaceList,
  NamespaceRecords,
  PutOptions,
  RecordList,
  RecordSearch,
  RemovalOptions,
} from './adapter/record-backend.ts';
export { revisedRecord } from './adapter/revised-record.ts';
export type {
  AskedHistory,
  DecideEdit,
  DecideItems,
  HistoryEdit,
  SessionBackend,
} from './adapter/session-backend.ts';
export {
  SEARCH as SEARCH_OPTIONS,
  STORE_OPTIONS,
} from './adapter/store-fields.ts';
export type { StoredSource } from './adapter/stored-source.ts';
export { type Check, expectFields, expectKnownFields, type FieldNames } from './common/check-fields.ts';
export { withDeadline } from './common/deadline.ts';
export { expect, expectWhole } from './common/expect.ts';
export { LIMITS } from './common/limits.ts';
export { guarded, readList } from './common/read-values.ts';
export { checkId } from './common/text.ts';
export { uuidv7 } from './common/uuid.ts';
export { copyData } from './json/copy-data.ts';
export { canonicalJson, cloneJson, encodeJson } from './json/json.ts';
export { memoryBlock } from './manager/injection/memory-block.ts';
export { callFailure, MAX_TRIES } from './model/call-failure.ts';
export { encodeTransaction, prepareMutations } from './session/history.ts';
export { encodeItems, itemLimit } from './session/session-items.ts';
export { checkLifetime } from './session/session-lifetime.ts';
export { checkSessionList, hasSegment } from './session/session-list-options.ts';
export { bestPassage } from './store/best-passage.ts';
export { type FilterRule, matchesFilter, parseFilter } from './store/filter.ts';
export { contentId, MessageRecorder, readMessageText } from './store/message-records.ts';
export { checkNamespace, isBelow, isWithin } from './store/namespace.ts';
export { PAGE_OPTIONS, pageLimit, readCursor, writeCursor } from './store/page.ts';
export { type PreparedRecord, prepareRecord, prepareRecords } from './store/record-input.ts';
export { firstVersion, putCount } from './store/record-version.ts';
export { checkIdentity, searchLimit, throwIfAborted } from './store/store-options.ts';
