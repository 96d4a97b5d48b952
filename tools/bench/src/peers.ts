import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(import.meta.dirname, '..');
/** Holds the digest of the lockfile by which the peers were installed. */
const note = join(project, 'node_modules', '.installed');

/** Installs the peers as the lockfile of this folder says, unless that was done. */
export function installPeers(say: (what: string) => void): void {
  const digest = createHash('sha256')
    .update(readFileSync(join(project, 'package-lock.json')))
    .digest('hex');
  if (existsSync(note) && readFileSync(note, 'utf8') === digest) return;
  say('installing the peers');
  // npm tells its scripts where the project is: this one is another.
  const { npm_config_local_prefix: _, ...env } = process.env;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: project,
    env,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('The peers could not be installed. With --quick, Keepsake is measured alone.');
  writeFileSync(note, digest);
}

/** A peer's module. The compiler does not see it, since it may not be installed: the caller says what it uses of it. */
export async function importPeer<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}
