import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { borrowPostgres } from './borrow-postgres.ts';
import { startOnFreePort } from './own-server.ts';
import { createData } from './postgres-data.ts';
import { createDatabase } from './postgres-databases.ts';
import { postgresPrograms } from './postgres-programs.ts';
import type { PostgresServer } from './postgres-server.ts';
import { type User, unprivilegedUser } from './unprivileged-user.ts';

/** Options of the server. With any option, a new server is started, even if `DATABASE_URL` is set. */
export interface PostgresOptions {
  /**
   * Whether commits wait for the disk, as in production. Without it, tests are faster, and a killed server still loses
   * nothing as long as the machine keeps running.
   *
   * @default false
   */
  readonly fsync?: boolean;
  /** Additional arguments of postgres: `['-c', 'max_connections=10']`. */
  readonly args?: readonly string[];
  /** For tests that kill and restart the server. */
  readonly own?: boolean;
}

/**
 * Starts a server on a free port of 127.0.0.1, or borrows the one that `DATABASE_URL` names.
 *
 * Text sorts as in English, as on most servers in use, so a query that needs the order of code units must request it. The
 * server ends with this process at the latest, even if that is killed.
 *
 * @throws Error with instructions for installing PostgreSQL, or the reason why it did not start.
 */
export async function startPostgres({ fsync, args, own }: PostgresOptions = {}): Promise<PostgresServer> {
  const given = process.env.DATABASE_URL;
  if (given && fsync === undefined && args === undefined && !own) return borrowPostgres(given);
  const quick = fsync ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off'];
  return startOwnPostgres([...quick, ...(args ?? [])]);
}

async function startOwnPostgres(args: readonly string[]): Promise<PostgresServer> {
  const host = '127.0.0.1';
  const user = unprivilegedUser();
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-postgres-'));
  const data = join(folder, 'data');
  const programs = await initialise(folder, data, user);
  const settings = [`listen_addresses=${host}`, 'unix_socket_directories=', 'dynamic_shared_memory_type=mmap'];
  const server = await startOnFreePort(folder, (port) => ({
    program: join(programs, 'postgres'),
    args: ['-D', data, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting]), ...args],
    folder,
    user,
    ready: /database system is ready to accept connections/,
    endNow: 'SIGQUIT',
    endWell: 'SIGINT',
  }));
  const admin = `postgres://postgres@${host}:${server.port}/postgres`;
  try {
    return { host, url: await createDatabase(admin), createDatabase: (url) => createDatabase(admin, url), ...server };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Creates the data folder and returns the folder of the programs. */
async function initialise(folder: string, data: string, user: User | undefined): Promise<string> {
  try {
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    const programs = await postgresPrograms(folder, user);
    await createData(data, programs, user);
    return programs;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
