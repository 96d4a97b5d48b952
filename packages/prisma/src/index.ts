export type { PrismaLike } from './prisma-client.ts';
export { PrismaSession, type PrismaSessionOptions } from './prisma-session.ts';
export { PrismaSessionStore } from './prisma-session-store.ts';
export { PrismaStore, type PrismaStoreOptions } from './prisma-store.ts';
export type { DamagedItem, OnCorrupt } from './session-damage.ts';
export type { PrismaSessionStoreOptions } from './session-options.ts';
export { statementName } from './statement-name.ts';
