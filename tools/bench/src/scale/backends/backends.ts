import type { ScaleBackend } from '../backend.ts';
import { file, inMemory } from './embedded.ts';
import { redis } from './redis.ts';
import { postgres, sqlite, sqliteThroughPrisma } from './sql.ts';

/** By the name that `--only` takes. */
export const BACKENDS: Readonly<Record<string, ScaleBackend>> = {
  'in-memory': inMemory,
  file,
  redis,
  sqlite,
  postgres,
  'prisma-sqlite': sqliteThroughPrisma,
};
