import type { ScaleBackend } from '../backend.ts';

/**
 * By the name that `--only` takes. A process imports only the one that it measures, because the others would count for its
 * memory.
 */
export const BACKENDS: Readonly<Record<string, ScaleBackend>> = {
  'in-memory': { name: 'InMemoryStore', reopens: false, load: () => import('./in-memory.ts') },
  file: { name: 'FileStore', reopens: true, load: () => import('./file.ts') },
  redis: { name: 'RedisStore', reopens: false, load: () => import('./redis.ts') },
  sqlite: { name: 'SqliteStore', reopens: true, load: () => import('./sqlite.ts') },
  postgres: { name: 'PrismaStore on PostgreSQL', reopens: false, load: () => import('./postgres.ts') },
  'prisma-sqlite': { name: 'PrismaStore on SQLite', reopens: false, load: () => import('./prisma-sqlite.ts') },
};
