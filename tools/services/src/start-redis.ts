import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { borrowRedis } from './borrow-redis.ts';
import { startOnFreePort } from './own-server.ts';
import { redisProgram } from './redis-program.ts';

/** A Redis or Valkey server for a test. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  /** Leads to an empty database. */
  readonly url: string;
  /** Ends the server with SIGKILL; what it has written stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder, after `kill()` or, when it runs, after an end in good order. */
  restart(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** What a test asks of its server. Whoever asks for anything gets a server of its own, whatever `REDIS_URL` says. */
export interface RedisOptions {
  /** When writes reach the append-only file. Without one, the default, a restart finds nothing. */
  readonly appendOnly?: 'always' | 'everysec' | false;
  /** More arguments of redis-server: `['--maxmemory', '10mb']`. */
  readonly args?: readonly string[];
  /** For tests that kill and restart. */
  readonly own?: boolean;
}

/**
 * Starts a server on a free port of 127.0.0.1, or borrows an empty database of the one that `REDIS_URL` names.
 *
 * It ends with this process at the latest, even when that is killed.
 *
 * @throws Error that says how to get redis-server, or why it did not start.
 */
export async function startRedis({ appendOnly, args, own }: RedisOptions = {}): Promise<RedisServer> {
  const given = process.env.REDIS_URL;
  if (given && appendOnly === undefined && args === undefined && !own) return borrowRedis(given);
  const log = appendOnly ? ['--appendonly', 'yes', '--appendfsync', appendOnly] : [];
  return startOwnRedis([...log, ...(args ?? [])]);
}

/** A server that keeps nothing on the disk, unless the arguments say otherwise. */
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
