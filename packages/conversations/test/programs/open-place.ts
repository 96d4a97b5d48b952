import type { RecordStore } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { PrismaStore } from '@keepsake/prisma';
import { RedisStore } from '@keepsake/redis';
import { connectPrisma } from '@keepsake/services/prisma';
import { SqliteStore } from '@keepsake/sqlite';
import { Redis } from 'ioredis';

/** Opens a place of another process by its address. */
export function openPlace([backend, where = '', keyPrefix = '']: readonly string[]): {
  readonly store: RecordStore;
  close(): void;
} {
  if (backend === 'file') return { store: new FileStore({ directory: where, name: 'conversations' }), close() {} };
  if (backend === 'sqlite') {
    const store = new SqliteStore({ file: where, name: 'conversations', durability: 'os' });
    return { store, close: () => void store.close() };
  }
  if (backend === 'prisma') {
    const prisma = connectPrisma(where);
    return { store: new PrismaStore({ prisma, name: 'conversations' }), close: () => void prisma.$disconnect() };
  }
  const client = new Redis(where);
  return { store: new RedisStore({ client, keyPrefix, name: 'conversations' }), close: () => client.disconnect() };
}
