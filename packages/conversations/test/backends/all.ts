import type { Backend } from './backend.ts';
import { file } from './file.ts';
import { inMemory } from './in-memory.ts';
import { prisma } from './prisma.ts';
import { redis } from './redis.ts';
import { sqlite } from './sqlite.ts';

/** The backends of the suite. To add one, create a file here, and extend this list and `open-place.ts`. */
export const backends: readonly (() => Backend)[] = [inMemory, file, sqlite, redis, prisma];
