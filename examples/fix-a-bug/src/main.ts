/**
 * A run fixes a bug, and a later run in another process uses what the first one learned:
 *
 * npm start -w examples/fix-a-bug
 */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIRECTORY = '.keepsake/fix-a-bug';
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

rmSync(DIRECTORY, { recursive: true, force: true });
cpSync(path('../project'), DIRECTORY, { recursive: true });
for (const task of ['The invoice totals are wrong. Please fix them.', 'Verify that the invoice totals are right.']) {
  const { status } = spawnSync(process.execPath, [...process.execArgv, path('run.ts'), DIRECTORY, task], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
