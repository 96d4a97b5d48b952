export type { Closable, Subject, TestRunner } from './kit.ts';
export { describeMemoryStore } from './memory-store/describe-memory-store.ts';
export type { MemoryStoreCapabilities, MemoryStoreHarness, OpenMemoryOptions } from './memory-store/harness.ts';
export { describeRecordStore } from './record-store/describe-record-store.ts';
export type { OpenOptions, RecordStoreHarness } from './record-store/harness.ts';
export { describeSession } from './session/describe-session.ts';
export type { SessionCapabilities, SessionHarness } from './session/harness.ts';
export { describeSessionStore } from './session-store/describe-session-store.ts';
export type { SessionStoreCapabilities, SessionStoreHarness } from './session-store/harness.ts';
