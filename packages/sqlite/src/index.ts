export type { SqliteOptions } from './database/database-options.ts';
export type { DurableObjectDatabase, SqliteDatabase, SqliteStatement } from './database/sqlite-database.ts';
export type { Durability } from './file/open-file.ts';
export type { DamagedItem, OnCorrupt, SqliteSessionStoreOptions } from './sessions/session-options.ts';
export { SqliteSession, type SqliteSessionOptions } from './sqlite-session.ts';
export { SqliteSessionStore } from './sqlite-session-store.ts';
export { SqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
