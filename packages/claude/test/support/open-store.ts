import type { RecordStore } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { PrismaStore } from '@keepsake/prisma';
import { RedisStore } from '@keepsake/redis';
import { connectPrisma } from '@keepsake/services/prisma';
import { SqliteStore } from '@keepsake/sqlite';
import { Redis } from 'ioredis';

/** Where a store is: a backend, a path or URL, and what tells it from others there. */
export type Address = readonly [backend: string, where: string, place?: string];

/** Opens the store at an address, in any process. */
export function openStore([backend, where, place = '']: Address): {
  store: RecordStore;
  close(): Promise<unknown>;
} {
  if (backend === 'file') return closing(new FileStore({ directory: where, name: 'claude' }));
  if (backend === 'sqlite') return closing(new SqliteStore({ file: where, name: 'claude' }));
  if (backend === 'redis') {
    const client = new Redis(where);
    return {
      store: new RedisStore({ client, keyPrefix: place, name: 'claude' }),
      close: async () => client.disconnect(),
    };
  }
  const prisma = connectPrisma(where);
  return { store: new PrismaStore({ prisma, name: 'claude', namespace: [place] }), close: () => prisma.$disconnect() };
}

function closing(store: RecordStore) {
  return { store, close: () => store.close() };
}
