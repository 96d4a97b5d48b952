import { cpSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from '@keepsake/testing/run';
import { expectBuilt } from './pack.ts';
import { findPackages } from './packages.ts';

/** Copies a repository, including uncommitted files and built packages, as the single commit of a new repository. */
export async function copyRepository(root: string, directory: string): Promise<void> {
  const packages = findPackages(root);
  expectBuilt(packages);
  const files = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const present = files.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  const built = packages.map((each) => join(relative(root, each.directory), 'dist'));
  for (const path of [...present, ...built]) cpSync(join(root, path), join(directory, path), { recursive: true });
  await run('git', ['init', '--quiet', '--initial-branch=main'], { cwd: directory });
  await commit(directory);
}

/** Commits everything with a placeholder author, independent of the machine's git settings. */
export async function commit(directory: string): Promise<void> {
  const nobody = ['user.name=Rehearsal', 'user.email=rehearsal@localhost', 'commit.gpgSign=false', 'core.hooksPath='];
  const settings = nobody.flatMap((setting) => ['-c', setting]);
  await run('git', ['add', '--all'], { cwd: directory });
  await run('git', [...settings, 'commit', '--quiet', '--message=Rehearsal'], { cwd: directory });
}
