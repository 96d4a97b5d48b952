import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs what the lockfile of a folder names, unless it is installed: for folders that are no npm workspaces, because
 * few checks need what is in them.
 *
 * @param say - Told if it has to install.
 */
export function installLocked(directory: string, say: (what: string) => void = () => {}): void {
  const lockfile = readFileSync(join(directory, 'package-lock.json'));
  const digest = createHash('sha256').update(lockfile).digest('hex');
  /** Contains the digest of the lockfile of what is installed. */
  const note = join(directory, 'node_modules', '.installed');
  if (existsSync(note) && readFileSync(note, 'utf8') === digest) return;
  say(`installing what ${directory} needs`);
  // npm passes the project's directory to its scripts, but this is another project.
  const { npm_config_local_prefix: _, ...env } = process.env;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: directory,
    env,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm ci failed in ${directory}.`);
  writeFileSync(note, digest);
}
