import type { Backend } from './backend.ts';
import { file } from './file.ts';
import { inMemory } from './in-memory.ts';
import { prisma } from './prisma.ts';
import { redis } from './redis.ts';

/** What the suite runs on. Another one is a file beside these, a line here, and one in `open-place.ts`. */
export const backends: readonly (() => Backend)[] = [inMemory, file, redis, prisma];
