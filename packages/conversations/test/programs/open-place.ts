import type { RecordStore } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { RedisStore } from '@keepsake/redis';
import { Redis } from 'ioredis';

/** Opens a place by its address, in a process of its own. */
export function openPlace([backend, where = '', keyPrefix = '']: readonly string[]): {
  readonly store: RecordStore;
  close(): void;
} {
  if (backend === 'file') return { store: new FileStore({ directory: where, name: 'conversations' }), close() {} };
  const client = new Redis(where);
  return { store: new RedisStore({ client, keyPrefix, name: 'conversations' }), close: () => client.disconnect() };
}
