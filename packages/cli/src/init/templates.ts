import type { BackendName } from './backends.ts';

/** The configuration for a backend. */
export interface Template {
  /** What the backend is, in a list to choose from. */
  readonly what: string;
  /** The code of the file, which is TypeScript and JavaScript. */
  readonly code: string;
  /** What is left to do after the packages are installed. */
  readonly next?: string;
}

export const TEMPLATES: Readonly<Record<BackendName, Template>> = {
  file: {
    what: 'files that people can read',
    code: `import { join } from 'node:path';
import { defineConfig } from '@keepsake/config';
import { FileSessionStore, FileStore } from '@keepsake/file';

const directory = join(import.meta.dirname, '.keepsake');

export default defineConfig({
  memory: () => new FileStore({ directory, name: 'memory' }),
  sessions: () => new FileSessionStore({ directory }),
});
`,
  },
  sqlite: {
    what: 'one SQLite file',
    code: `import { join } from 'node:path';
import { defineConfig } from '@keepsake/config';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';

const file = join(import.meta.dirname, 'memory.db');

export default defineConfig({
  memory: () => new SqliteStore({ file, name: 'memory' }),
  sessions: () => new SqliteSessionStore({ file }),
});
`,
  },
  redis: {
    what: 'Redis or Valkey',
    code: `import { defineConfig } from '@keepsake/config';
import { RedisSessionStore, RedisStore } from '@keepsake/redis';
import { Redis } from 'ioredis';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const client = new Redis(url, {
  lazyConnect: true,
  // While Redis is down, a call says so within a second.
  maxRetriesPerRequest: 1,
  retryStrategy: (attempt) => Math.min(attempt * 50, 400),
});
client.on('error', () => {}); // without a listener, ioredis prints every attempt to connect

export default defineConfig({
  memory: () => new RedisStore({ client, name: 'memory' }),
  sessions: () => new RedisSessionStore({ client }),
  close: () => client.disconnect(),
});
`,
    next: 'Set REDIS_URL, unless the server is on 127.0.0.1.',
  },
  postgres: {
    what: 'PostgreSQL',
    code: `import { defineConfig } from '@keepsake/config';
import { PostgresSessionStore, PostgresStore } from '@keepsake/postgres';
import { Pool } from 'pg';

const client = new Pool({ connectionString: process.env.DATABASE_URL });
client.on('error', () => {}); // without a listener, an idle connection that breaks ends the process

export default defineConfig({
  memory: () => new PostgresStore({ client, name: 'memory' }),
  sessions: () => new PostgresSessionStore({ client }),
  close: () => client.end(),
});
`,
    next: 'Set DATABASE_URL, and create the tables: npx keepsake-postgres migrate.',
  },
  prisma: {
    what: 'PostgreSQL, through Prisma',
    code: `import { defineConfig } from '@keepsake/config';
import { PrismaSessionStore, PrismaStore } from '@keepsake/prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/prisma/client.ts';

const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) });

export default defineConfig({
  memory: () => new PrismaStore({ prisma, name: 'memory' }),
  sessions: () => new PrismaSessionStore({ prisma }),
  close: () => prisma.$disconnect(),
});
`,
    next: `Create the tables: npx keepsake-prisma init, then npx prisma generate and npx prisma migrate deploy.
Set DATABASE_URL. Change the import of PrismaClient to where your client is generated.`,
  },
};

/** Packages that a backend needs beside those that its configuration imports. */
const MORE: Partial<Record<BackendName, readonly string[]>> = {
  prisma: ['@prisma/client'],
};

/** The packages to install for a backend: those that its configuration imports, with their peers. */
export function packagesOf(backend: BackendName): string[] {
  const imported = [...TEMPLATES[backend].code.matchAll(/ from '(?!node:|\.)([^']+)'/g)].map(([, name = '']) => name);
  return ['@keepsake/core', ...imported, ...(MORE[backend] ?? [])];
}
