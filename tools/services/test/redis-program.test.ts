import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { startRedis } from '../src/index.ts';
import { redisProgram } from '../src/redis-program.ts';
import { temporaryFolder } from './temporary-folder.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Creates a folder with programs and makes it the PATH. */
function pathOf(programs: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', folder);
  return folder;
}

it('if the server is missing, startRedis tells how to install it and leaves nothing behind', async () => {
  pathOf({});
  const temporary = temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  vi.stubEnv('REDIS_URL', '');
  const started = startRedis();
  await expect(started).rejects.toThrow(/redis-server not found.*apt-get install redis-server.*brew.*REDIS_URL/s);
  expect(readdirSync(temporary)).toEqual([]);
});

// Replaces util-linux and apt: runs the command after the lock, and installs the contents of redis-tools.
const FLOCK = 'shift; exec "$@"';
const APT = `
folder=$(/usr/bin/dirname "$0")
echo "$@" >> "$folder/calls"
[ "$1" = update ] || { echo > "$folder/redis-check-rdb"; /bin/chmod +x "$folder/redis-check-rdb"; }
`;

it('the server is installed by apt if we are root', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  const folder = pathOf({ 'apt-get': APT, flock: FLOCK });
  const own = temporaryFolder();
  expect(await redisProgram(own)).toBe(join(own, 'redis-server'));
  const calls = readFileSync(join(folder, 'calls'), 'utf8');
  expect(calls).toBe('update\ninstall --yes --no-install-recommends redis-tools\n');
});

it('the server is not installed if we are not root', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  const folder = pathOf({ 'apt-get': APT, flock: FLOCK });
  await expect(redisProgram(temporaryFolder())).rejects.toThrow('apt-get install redis-server');
  expect(readdirSync(folder)).toEqual(['apt-get', 'flock']);
});

it('if apt fails, the error tells how to install the server', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  pathOf({ 'apt-get': 'exit 100', flock: FLOCK });
  await expect(redisProgram(temporaryFolder())).rejects.toThrow(/^apt-get could not install redis-tools\..*REDIS_URL/s);
});
