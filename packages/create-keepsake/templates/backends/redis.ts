import { RedisSessionStore, RedisStore } from '@keepsake/redis';
import { Redis } from 'ioredis';

const client = new Redis(process.env.REDIS_URL || 'redis://127.0.0.1:6379', {
  // While Redis is down, a call says so within a second.
  maxRetriesPerRequest: 1,
  retryStrategy: (attempt) => Math.min(attempt * 50, 400),
});
client.on('error', () => {}); // without a listener, ioredis prints every attempt to connect

export const sessions = new RedisSessionStore({ client });
export const store = new RedisStore({ client, name: 'chats', extraction: true });

export async function close(): Promise<void> {
  await client.quit();
}
