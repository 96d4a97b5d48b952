export type { PrismaLike } from './database/prisma-client.ts';
export { statementName } from './database/statement-name.ts';
export { PrismaSession, type PrismaSessionOptions } from './prisma-session.ts';
export { PrismaSessionStore } from './prisma-session-store.ts';
export { PrismaStore, type PrismaStoreOptions } from './prisma-store.ts';
export type { DamagedItem, OnCorrupt } from './sessions/session-damage.ts';
export type { PrismaSessionStoreOptions } from './sessions/session-options.ts';
