import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeepsakeConfig } from '@keepsake/config';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { InMemorySessionStore, InMemoryStore } from '@keepsake/in-memory';
import { PrismaSessionStore, PrismaStore } from '@keepsake/prisma';
import { RedisSessionStore, RedisStore } from '@keepsake/redis';
import { type RedisServer, startRedis } from '@keepsake/services';
import { type PrismaServer, startPrisma } from '@keepsake/services/prisma';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import { Redis } from 'ioredis';

/** A backend that the panel is tested on. */
export interface Backend {
  readonly name: string;
  /** Whether tests that a backend hardly changes run on it at night only. */
  readonly partByDay?: boolean;
  start?(): Promise<void>;
  /** The stores of a new, empty place. */
  makePlace(): Pick<KeepsakeConfig, 'memory' | 'sessions'>;
  stop?(): Promise<void>;
}

const inMemory: Backend = {
  name: 'in memory',
  makePlace() {
    const [memory, sessions] = [new InMemoryStore({ name: 'memory' }), new InMemorySessionStore()];
    return { memory: () => memory.within([]), sessions: () => sessions };
  },
};

const files: Backend = {
  name: 'files',
  makePlace() {
    const directory = newDirectory();
    return {
      memory: () => new FileStore({ directory, name: 'memory', durability: 'os' }),
      sessions: () => new FileSessionStore({ directory, durability: 'os' }),
    };
  },
  stop: removeDirectories,
};

const sqlite: Backend = {
  name: 'SQLite',
  partByDay: true,
  makePlace() {
    const file = join(newDirectory(), 'memory.db');
    return {
      memory: () => new SqliteStore({ file, name: 'memory', durability: 'os' }),
      sessions: () => new SqliteSessionStore({ file, durability: 'os' }),
    };
  },
  stop: removeDirectories,
};

function redis(): Backend {
  let [server, client, places]: [RedisServer | undefined, Redis | undefined, number] = [undefined, undefined, 0];
  return {
    name: 'Redis',
    async start() {
      server = await startRedis();
      client = new Redis(server.url);
    },
    makePlace() {
      const options = { client: client as Redis, keyPrefix: `panel ${++places}*:` };
      return {
        memory: () => new RedisStore({ ...options, name: 'memory' }),
        sessions: () => new RedisSessionStore(options),
      };
    },
    async stop() {
      client?.disconnect();
      await server?.stop();
    },
  };
}

function postgres(): Backend {
  let server: PrismaServer | undefined;
  return {
    name: 'PostgreSQL',
    partByDay: true,
    async start() {
      server = await startPrisma();
    },
    makePlace() {
      const { prisma } = (server as PrismaServer).connect();
      return {
        memory: () => new PrismaStore({ prisma, name: 'memory' }),
        sessions: () => new PrismaSessionStore({ prisma }),
      };
    },
    stop: async () => server?.stop(),
  };
}

export const backends: readonly Backend[] = [inMemory, files, sqlite, redis(), postgres()];

const directories: string[] = [];

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-panel-'));
  directories.push(directory);
  return directory;
}

async function removeDirectories(): Promise<void> {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
}
