export { type DamagedItem, type OnCorrupt, statementName } from '@keepsake/sql';
export type { PrismaLike } from './database/prisma-client.ts';
export { PrismaSession, type PrismaSessionOptions } from './prisma-session.ts';
export { PrismaSessionStore } from './prisma-session-store.ts';
export { PrismaStore, type PrismaStoreOptions } from './prisma-store.ts';
export type { PrismaSessionStoreOptions } from './session-options.ts';
