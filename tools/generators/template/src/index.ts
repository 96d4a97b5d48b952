export type { SqliteClient } from './connection.ts';
export { SqliteSession, type SqliteSessionOptions } from './sqlite-session.ts';
export { SqliteSessionStore, type SqliteSessionStoreOptions } from './sqlite-session-store.ts';
export { SqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
