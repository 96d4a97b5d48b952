export { InMemorySession, type InMemorySessionOptions } from './in-memory-session.ts';
export { InMemorySessionStore } from './in-memory-session-store.ts';
export { InMemoryStore, type InMemoryStoreOptions } from './in-memory-store.ts';
