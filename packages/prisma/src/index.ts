export type { PrismaLike } from './prisma-client.ts';
export { PrismaStore, type PrismaStoreOptions } from './prisma-store.ts';
