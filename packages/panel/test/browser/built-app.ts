import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = join(import.meta.dirname, '../..');
const MAIN = 'app/dist/app.js';

/** The folder of the page, as it is published. Builds it unless what is there is newer than its sources. */
export function builtApp(): string {
  const sources = globSync(['app/src/**/*', 'app/*.{html,ts,json}', 'src/protocol{.ts,/*.ts}'], { cwd: PACKAGE });
  const changedAt = Math.max(...sources.map((path) => changeOf(path)));
  if (changeOf(MAIN) < changedAt) {
    const { status } = spawnSync('npx', ['vite', 'build', 'app'], {
      cwd: PACKAGE,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error('vite build app failed.');
  }
  return join(PACKAGE, 'app/dist');
}

function changeOf(path: string): number {
  return statSync(join(PACKAGE, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
