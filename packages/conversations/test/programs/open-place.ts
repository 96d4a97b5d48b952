import type { RecordStore } from '@keepsake/core';

/** Opens a place of another process by its address. Loads only what that needs. */
export async function openPlace([backend, where = '', place = '']: readonly string[]): Promise<{
  readonly store: RecordStore;
  close(): void;
}> {
  const name = 'conversations';
  if (backend === 'file') {
    const { FileStore } = await import('@keepsake/file');
    return { store: new FileStore({ directory: where, name, durability: 'os' }), close() {} };
  }
  if (backend === 'sqlite') {
    const { SqliteStore } = await import('@keepsake/sqlite');
    const store = new SqliteStore({ file: where, name, durability: 'os' });
    return { store, close: () => void store.close() };
  }
  if (backend === 'prisma') {
    const { PrismaStore } = await import('@keepsake/prisma');
    const { connectPrisma } = await import('@keepsake/services/prisma');
    const prisma = connectPrisma(where);
    const store = new PrismaStore({ prisma, name, namespace: [place] });
    return { store, close: () => void prisma.$disconnect() };
  }
  const { RedisStore } = await import('@keepsake/redis');
  const { Redis } = await import('ioredis');
  const client = new Redis(where);
  return { store: new RedisStore({ client, keyPrefix: place, name }), close: () => client.disconnect() };
}
