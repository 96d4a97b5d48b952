import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/postgresql/client.ts'; // where your schema puts it

/** Kept in the global object, because Next.js loads modules again in development. */
const shared = globalThis as { prisma?: PrismaClient };

export const prisma =
  shared.prisma ??
  new PrismaClient({
    adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }),
  });
shared.prisma = prisma;
