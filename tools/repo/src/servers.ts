import { startPostgres, startRedis } from '@keepsake/services';

/**
 * Starts one Redis and one PostgreSQL for everything that `run` starts: test files borrow a database each, instead of
 * starting servers. Servers that the environment names are used instead.
 */
export async function withServers<T>(run: () => Promise<T>): Promise<T> {
  const [redis, postgres] = await Promise.all([
    startRedis({ args: ['--databases', '1000'] }),
    startPostgres({ args: ['-c', 'max_connections=500'] }),
  ]);
  process.env.REDIS_URL ??= redis.url;
  process.env.DATABASE_URL ??= postgres.url;
  try {
    return await run();
  } finally {
    await Promise.all([redis.stop(), postgres.stop()]);
  }
}
