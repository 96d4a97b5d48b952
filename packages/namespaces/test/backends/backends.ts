import type { Backend } from './backend.ts';
import { file } from './file.ts';
import { inMemory } from './in-memory.ts';
import { prisma } from './prisma.ts';
import { redis } from './redis.ts';

/** Every backend that is to hold what namespaces promise. */
export const BACKENDS: readonly Backend[] = [inMemory, file, redis, prisma];
