import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const HOW_TO_GET_IT = [
  'redis-server not found. Install it in one of these ways, then try again:',
  '- on Debian or Ubuntu: apt-get install redis-server (as root, the tests do this themselves)',
  '- on macOS: brew install redis',
  '- elsewhere: redis-server 6.2 to 8, or valkey-server, on the PATH',
  '- or set REDIS_URL to a server that tests may use: redis://127.0.0.1:6379',
].join('\n');

/**
 * The server program: from the PATH, or installed by apt if we are root on Debian. `folder` is the folder of the server.
 *
 * @throws Error with instructions for installing one.
 */
export async function redisProgram(folder: string): Promise<string> {
  const server = findProgram('redis-server', 'valkey-server');
  if (server !== undefined) return server;
  if (findProgram('redis-check-rdb') === undefined) await installRedisTools();
  const checker = findProgram('redis-check-rdb');
  if (checker === undefined) throw new Error(HOW_TO_GET_IT);
  // The same program, which behaves according to the name that it is called by.
  const link = join(folder, 'redis-server');
  await symlink(checker, link);
  return link;
}

/** The program is in Debian's `redis-tools`. The package `redis-server` would also start a system-wide server. */
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
