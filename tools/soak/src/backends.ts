import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordStore, SessionStore } from '@keepsake/core';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { PrismaSessionStore, PrismaStore } from '@keepsake/prisma';
import { RedisSessionStore, RedisStore } from '@keepsake/redis';
import { startRedis, startRedisCluster } from '@keepsake/services';
import { connectPrisma, migrateSqlite, type Prisma, startPrisma } from '@keepsake/services/prisma';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import { Cluster, Redis } from 'ioredis';

/** What an application opens. */
export interface Opened {
  readonly store: RecordStore;
  readonly sessions: SessionStore;
}

/** A backend with nothing in it. */
export interface Backend {
  /** Opens it. Each call returns new instances, as after a restart of the application. */
  open(): Opened;
  /** Where its files are, if it has any. */
  readonly directory?: string;
  /** How many bytes its server uses. */
  serverBytes?(): Promise<number>;
  stop(): Promise<void>;
}

/** How to start each backend. */
export const BACKENDS: Readonly<Record<string, () => Promise<Backend>>> = {
  'in-memory': startInMemory,
  file: async () => onDirectory((directory) => openFiles(directory)),
  sqlite: async () => onDirectory((directory) => openSqlite(join(directory, 'memory.db'))),
  redis: startOneRedis,
  'redis-cluster': startCluster,
  postgresql: startPostgresql,
  'prisma-sqlite': startPrismaSqlite,
};

async function startInMemory(): Promise<Backend> {
  const opened = { store: new InMemoryStore({ name: 'soak' }), sessions: new InMemorySessionStore() };
  return { open: () => opened, stop: async () => {} };
}

function openFiles(directory: string): Opened {
  return {
    store: new FileStore({ directory: join(directory, 'records'), name: 'soak' }),
    sessions: new FileSessionStore({ directory: join(directory, 'sessions') }),
  };
}

function openSqlite(file: string): Opened {
  return { store: new SqliteStore({ file, name: 'soak' }), sessions: new SqliteSessionStore({ file }) };
}

function onDirectory(open: (directory: string) => Opened): Backend {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-soak-'));
  return {
    open: () => open(directory),
    directory,
    stop: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

async function startOneRedis(): Promise<Backend> {
  const server = await startRedis({ appendOnly: 'everysec' });
  const client = new Redis(server.url);
  return {
    open: () => openRedis(client),
    serverBytes: () => usedMemory([client]),
    async stop() {
      client.disconnect();
      await server.stop();
    },
  };
}

async function startCluster(): Promise<Backend> {
  const servers = await startRedisCluster();
  const client = new Cluster([...servers.nodes]);
  return {
    open: () => openRedis(client),
    serverBytes: () => usedMemory(client.nodes('master')),
    async stop() {
      client.disconnect();
      await servers.stop();
    },
  };
}

function openRedis(client: Redis | Cluster): Opened {
  return { store: new RedisStore({ client, name: 'soak' }), sessions: new RedisSessionStore({ client }) };
}

async function usedMemory(clients: readonly Redis[]): Promise<number> {
  const answers = await Promise.all(clients.map((client) => client.info('memory')));
  return answers.reduce((sum, answer) => sum + Number(/^used_memory:(\d+)/m.exec(answer)?.[1]), 0);
}

async function startPostgresql(): Promise<Backend> {
  const server = await startPrisma();
  const { prisma } = server.connect();
  return { ...onPrisma(prisma), stop: () => server.stop() };
}

async function startPrismaSqlite(): Promise<Backend> {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-soak-'));
  const file = join(directory, 'memory.db');
  await migrateSqlite(file);
  const prisma = connectPrisma(`file:${file}`);
  return {
    open: () => openPrisma(prisma),
    directory,
    async stop() {
      await prisma.$disconnect();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function onPrisma(prisma: Prisma): Omit<Backend, 'stop'> {
  return {
    open: () => openPrisma(prisma),
    async serverBytes() {
      const query = 'SELECT pg_database_size(current_database()) AS bytes';
      const [row] = await prisma.$queryRawUnsafe<{ bytes: bigint }[]>(query);
      return Number(row?.bytes);
    },
  };
}

function openPrisma(prisma: Prisma): Opened {
  return { store: new PrismaStore({ prisma, name: 'soak' }), sessions: new PrismaSessionStore({ prisma }) };
}
