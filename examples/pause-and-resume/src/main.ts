/**
 * A run that waits for approval in one process and is resumed by another:
 *
 * npm start -w examples/pause-and-resume
 *
 * Data is stored in .keepsake, or in the directory that you pass as an argument.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [directory = '.keepsake'] = process.argv.slice(2);
const sessionId = `complaint-${Date.now()}`;

for (const step of ['ask', 'approve', 'approve', 'history']) {
  const program = fileURLToPath(new URL('process.ts', import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, program, directory, step, sessionId], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
