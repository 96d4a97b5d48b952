export type { PrismaLike } from './prisma-client.ts';
