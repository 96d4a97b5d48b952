import { spawnSync } from 'node:child_process';
import { globSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = join(import.meta.dirname, '../..');
const MAIN = 'app/dist/app.js';

/**
 * The folder of the page, as it is published. Has Nx build it if it is older than its sources, unless Nx runs this task: then
 * it is built, and other tasks may be reading it.
 */
export function builtApp(): string {
  if (process.env.NX_TASK_TARGET_PROJECT === undefined && isStale()) {
    const { status } = spawnSync('npx', ['nx', 'run', '@keepsake/panel:build:app'], {
      cwd: PACKAGE,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error('The page of the panel was not built. Run npx nx run @keepsake/panel:build:app.');
    // If only the times of the sources changed, Nx leaves the page as it is.
    utimesSync(join(PACKAGE, MAIN), new Date(), new Date());
  }
  return join(PACKAGE, 'app/dist');
}

function isStale(): boolean {
  const sources = globSync(['app/src/**/*', 'app/*.{html,ts,json}', 'src/protocol{.ts,/*.ts}'], { cwd: PACKAGE });
  return changeOf(MAIN) < Math.max(...sources.map((path) => changeOf(path)));
}

function changeOf(path: string): number {
  return statSync(join(PACKAGE, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
