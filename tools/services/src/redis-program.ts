import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const HOW_TO_GET_IT = [
  'There is no redis-server. Get one of these, then try again:',
  '- on Debian or Ubuntu: apt-get install redis-server (as root, the tests do this themselves)',
  '- on macOS: brew install redis',
  '- elsewhere: redis-server 6.2 to 8, or valkey-server, on the PATH',
  '- or set REDIS_URL to a server that tests may use: redis://127.0.0.1:6379',
].join('\n');

/**
 * The server program: of the PATH, or what apt installs when we are root on Debian. `folder` is the server's own.
 *
 * @throws Error that says how to get one.
 */
export async function redisProgram(folder: string): Promise<string> {
  const server = findProgram('redis-server', 'valkey-server');
  if (server !== undefined) return server;
  if (findProgram('redis-check-rdb') === undefined) await installRedisTools();
  const checker = findProgram('redis-check-rdb');
  if (checker === undefined) throw new Error(HOW_TO_GET_IT);
  // One and the same program, which goes by the name that it is called by.
  const link = join(folder, 'redis-server');
  await symlink(checker, link);
  return link;
}

/** Debian keeps the program in `redis-tools`. The package `redis-server` would also run a server for the whole system. */
async function installRedisTools(): Promise<void> {
  const apt = findProgram('apt-get');
  if (process.getuid?.() !== 0 || apt === undefined) throw new Error(HOW_TO_GET_IT);
  const install = '"$0" update && "$0" install --yes --no-install-recommends redis-tools';
  const oneAtATime = [join(tmpdir(), 'keepsake-apt.lock'), '/bin/sh', '-c', install, apt];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await promisify(execFile)('flock', oneAtATime, { env });
  } catch (cause) {
    throw new Error(`apt-get could not install redis-tools. ${HOW_TO_GET_IT}`, { cause });
  }
}
