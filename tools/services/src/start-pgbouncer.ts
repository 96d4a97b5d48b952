import { writeFileSync } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { type OwnServer, startOnFreePort } from './own-server.ts';
import { unprivilegedUser } from './unprivileged-user.ts';

const HOW_TO_GET_IT = [
  'pgbouncer not found. Install it in one of these ways, then try again:',
  '- on Debian or Ubuntu: apt-get install pgbouncer',
  '- on macOS: brew install pgbouncer',
  '- elsewhere: pgbouncer on the PATH',
].join('\n');

/** Options of the pooler. */
export interface PgBouncerOptions {
  /** The URL of the database. */
  readonly url: string;
  /** How many connections to the database all clients share. */
  readonly connections: number;
  /**
   * For how long a client keeps one of them.
   *
   * @default 'transaction'
   */
  readonly mode?: 'session' | 'transaction' | 'statement';
}

/** A PgBouncer. In transaction mode, each transaction of a client gets any of the shared connections. */
export interface PgBouncer extends OwnServer {
  readonly host: string;
  /** The URL of the database through the pooler. */
  readonly url: string;
}

/**
 * Starts PgBouncer on a free port of 127.0.0.1.
 *
 * @throws Error with instructions for installing it, or the reason why it did not start.
 */
export async function startPgBouncer({ url, connections, mode = 'transaction' }: PgBouncerOptions): Promise<PgBouncer> {
  const program = findProgram('pgbouncer');
  if (program === undefined) throw new Error(HOW_TO_GET_IT);
  const host = '127.0.0.1';
  const user = unprivilegedUser();
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-pgbouncer-'));
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const config = join(folder, 'pgbouncer.ini');
  const server = await startOnFreePort(folder, (port) => {
    writeFileSync(config, configOf(new URL(url), host, port, connections, mode));
    return { program, args: [config], folder, user, ready: /process up/, endNow: 'SIGKILL', endWell: 'SIGTERM' };
  });
  return { ...server, host, url: Object.assign(new URL(url), { host: `${host}:${server.port}` }).href };
}

function configOf(database: URL, host: string, port: number, connections: number, mode: string): string {
  return [
    '[databases]',
    `* = host=${database.hostname} port=${database.port} user=${database.username}`,
    '[pgbouncer]',
    `listen_addr = ${host}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    `default_pool_size = ${connections}`,
    // Clients are told at once that the server is gone, not after minutes.
    'server_login_retry = 1',
    '',
  ].join('\n');
}
