import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fillOnce } from './fill-once.ts';
import { npm } from './npm.ts';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keepsake-apart');

/**
 * Installs what the lock file of a folder names, unless this was done before: what is large, and few tests need. The folder
 * is no npm workspace, and nothing is written into it. Processes that install at once don't collide.
 *
 * @returns the path of `node_modules`
 */
export async function installApart(folder: string): Promise<string> {
  const lock = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json')));
  const directory = join(CACHE, lock.digest('hex').slice(0, 16));
  await fillOnce(directory, async (unfinished) => {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(folder, file), join(unfinished, file));
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: unfinished });
  });
  return join(directory, 'node_modules');
}
