import { Redis } from 'ioredis';
import { openFiles } from '../backends/file.ts';
import { openRedis } from '../backends/redis.ts';

/** Opens a place of another process by its address. */
export function openPlace(address: string) {
  if (address.startsWith('file:')) return { ...openFiles(address.slice('file:'.length)), close() {} };
  const [url = '', keyPrefix = ''] = address.split(' ');
  const client = new Redis(url);
  return { ...openRedis(client, keyPrefix), close: () => client.disconnect() };
}
