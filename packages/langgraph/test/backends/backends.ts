import type { Backend } from './backend.ts';
import { file } from './file.ts';
import { inMemory } from './in-memory.ts';
import { prisma } from './prisma.ts';
import { redis } from './redis.ts';
import { sqlite } from './sqlite.ts';

/** Every backend that LangGraph runs on. */
export const BACKENDS: readonly Backend[] = [inMemory, file, sqlite, redis, prisma];
