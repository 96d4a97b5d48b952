export type { DamagedItem, OnCorrupt } from '@keepsake/sql';
export type { PGliteLike, PgLike, PostgresClient, PostgresJsLike } from './client.ts';
export type { PostgresOptions } from './postgres-driver.ts';
export { PostgresSession, type PostgresSessionOptions } from './postgres-session.ts';
export { PostgresSessionStore } from './postgres-session-store.ts';
export { PostgresStore, type PostgresStoreOptions } from './postgres-store.ts';
export type { PostgresSessionStoreOptions } from './session-options.ts';
export { type SetupOptions, setup } from './setup.ts';
