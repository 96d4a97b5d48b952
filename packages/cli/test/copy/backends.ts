import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordStore, SessionStore } from '@keepsake/core';
import { FileSessionStore, FileStore } from '@keepsake/file';
import { PrismaSessionStore, PrismaStore } from '@keepsake/prisma';
import { RedisSessionStore, RedisStore } from '@keepsake/redis';
import { startRedis } from '@keepsake/services';
import { startPrisma } from '@keepsake/services/prisma';
import { SqliteSessionStore, SqliteStore } from '@keepsake/sqlite';
import { Redis } from 'ioredis';

/** A new, empty place of a backend, and its configuration for another process. */
export interface Place {
  readonly store: RecordStore;
  readonly sessions: SessionStore;
  /** The code of a configuration. It can be opened again after it was closed. */
  readonly config: string;
}

export interface Backend {
  place(): Promise<Place>;
  stop(): Promise<void>;
}

/** The backends to copy between, by name. They are started with what creates a directory. */
export const BACKENDS: Readonly<Record<string, (newDirectory: () => string) => Promise<Backend>>> = {
  async file(newDirectory) {
    const place = async () => {
      const options = { directory: join(newDirectory(), 'files'), durability: 'os' as const };
      mkdirSync(options.directory);
      return {
        store: new FileStore({ ...options, name: 'memory' }),
        sessions: new FileSessionStore(options),
        config: configOf('file', 'File', JSON.stringify(options)),
      };
    };
    return { place, stop: async () => {} };
  },
  async sqlite(newDirectory) {
    const place = async () => {
      const options = { file: join(newDirectory(), 'memory.db'), durability: 'os' as const };
      return {
        store: new SqliteStore({ ...options, name: 'memory' }),
        sessions: new SqliteSessionStore(options),
        config: configOf('sqlite', 'Sqlite', JSON.stringify(options)),
      };
    };
    return { place, stop: async () => {} };
  },
  async redis() {
    const server = await startRedis({ own: true });
    const client = new Redis(server.url);
    let places = 0;
    const place = async () => {
      const keyPrefix = `place-${++places}:`;
      return {
        store: new RedisStore({ client, keyPrefix, name: 'memory' }),
        sessions: new RedisSessionStore({ client, keyPrefix }),
        config: `import { Redis } from 'ioredis';
let client;
${configOf('redis', 'Redis', `{ client: (client ??= new Redis('${server.url}')), keyPrefix: '${keyPrefix}' }`, 'close() { client?.disconnect(); client = undefined; },')}`,
      };
    };
    const stop = async () => {
      client.disconnect();
      await server.stop();
    };
    return { place, stop };
  },
  async postgres() {
    const server = await startPrisma();
    const place = async () => {
      const { prisma, url } = server.connect();
      // Creates the database.
      await prisma.$queryRawUnsafe('SELECT 1');
      const own = `import { connectPrisma } from '@keepsake/services/prisma';\nconst prisma = connectPrisma('${url}');`;
      return {
        store: new PrismaStore({ prisma, name: 'memory' }),
        sessions: new PrismaSessionStore({ prisma }),
        config: `${own}\n${configOf('prisma', 'Prisma', '{ prisma }', 'close: () => prisma.$disconnect(),')}`,
      };
    };
    return { place, stop: () => server.stop() };
  },
};

function configOf(name: string, prefix: string, options: string, close = ''): string {
  return `import { dying } from '${join(import.meta.dirname, '../programs/dying.ts')}';
import { ${prefix}SessionStore, ${prefix}Store } from '@keepsake/${name}';
const options = () => (${options});
export default {
  memory: async () => dying(new ${prefix}Store({ ...options(), name: 'memory' })),
  sessions: async () => dying(new ${prefix}SessionStore(options())),
  ${close}
};
`;
}
