import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fillOnce } from '@keepsake/testing/fill-once';
import { npm } from '@keepsake/testing/npm';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keepsake-mcp-official');

/** The `node_modules` of a folder beside `src` with a lock file. The first call installs them from npm. */
export async function installLocked(folder: 'official' | 'peers'): Promise<string> {
  const locked = join(import.meta.dirname, '..', folder);
  const lock = createHash('sha256').update(readFileSync(join(locked, 'package-lock.json')));
  const directory = join(CACHE, lock.digest('hex').slice(0, 16));
  await fillOnce(directory, async (unfinished) => {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(locked, file), join(unfinished, file));
    await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: unfinished });
  });
  return join(directory, 'node_modules');
}
