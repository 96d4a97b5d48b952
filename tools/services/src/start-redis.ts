import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { borrowRedis } from './borrow-redis.ts';
import { startOnFreePort } from './own-server.ts';
import { redisProgram } from './redis-program.ts';
import type { RedisServer } from './redis-server.ts';

/** Options of the server. With any option, a new server is started, even if `REDIS_URL` is set. */
export interface RedisOptions {
  /** When writes reach the append-only file. Without one, which is the default, a restart loses all data. */
  readonly appendOnly?: 'always' | 'everysec' | false;
  /** Additional arguments of redis-server: `['--maxmemory', '10mb']`. */
  readonly args?: readonly string[];
  /** For tests that kill and restart the server. */
  readonly own?: boolean;
}

/**
 * Starts a server on a free port of 127.0.0.1, or borrows an empty database of the one that `REDIS_URL` names.
 *
 * It ends with this process at the latest, even if that is killed.
 *
 * @throws Error with instructions for installing redis-server, or the reason why it did not start.
 */
export async function startRedis({ appendOnly, args, own }: RedisOptions = {}): Promise<RedisServer> {
  const given = process.env.REDIS_URL;
  if (given && appendOnly === undefined && args === undefined && !own) return borrowRedis(given);
  const log = appendOnly ? ['--appendonly', 'yes', '--appendfsync', appendOnly] : [];
  return startOwnRedis([...log, ...(args ?? [])]);
}

/** A server without persistence, unless the arguments enable it. */
export async function startOwnRedis(args: readonly string[]): Promise<RedisServer> {
  const host = '127.0.0.1';
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-redis-'));
  const program = await redisProgram(folder).catch(async (error) => {
    await rm(folder, { recursive: true });
    throw error;
  });
  const server = await startOnFreePort(folder, (port) => ({
    program,
    args: ['--port', `${port}`, '--bind', host, '--dir', folder, '--save', '', ...args],
    folder,
    ready: /Ready to accept connections/,
    endNow: 'SIGKILL',
    endWell: 'SIGTERM',
  }));
  return { host, url: `redis://${host}:${server.port}`, ...server };
}
