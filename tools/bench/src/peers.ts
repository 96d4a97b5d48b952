import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(import.meta.dirname, '..');
/** Contains the digest of the lockfile from which the peers were installed. */
const note = join(project, 'node_modules', '.installed');

/** Installs the peers from the lockfile of this folder, unless they are installed. */
export function installPeers(say: (what: string) => void): void {
  const digest = createHash('sha256')
    .update(readFileSync(join(project, 'package-lock.json')))
    .digest('hex');
  if (existsSync(note) && readFileSync(note, 'utf8') === digest) return;
  say('installing the peers');
  // npm passes the project's directory to its scripts, but this is another project.
  const { npm_config_local_prefix: _, ...env } = process.env;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: project,
    env,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('The peers could not be installed. Use --quick to measure Keepsake alone.');
  writeFileSync(note, digest);
}

/** A peer's module. It may not be installed, so the compiler does not see it and the caller declares what it uses. */
export async function importPeer<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}
