// `npm run lockfile`: completes the lockfiles of the workspace and of the tools that are installed when they are first used.
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeLockfile } from './lockfile.ts';

const root = join(import.meta.dirname, '../../..');
for (const path of globSync('{.,tools/*}/package-lock.json', { cwd: root })) {
  const lockfile = JSON.parse(await readFile(join(root, path), 'utf8'));
  const added = completeLockfile(lockfile);
  if (added.length > 0) await writeFile(join(root, path), `${JSON.stringify(lockfile, null, 2)}\n`);
  console.log(added.length === 0 ? `${path} is complete.` : `Added to ${path}:\n${added.join('\n')}`);
}
