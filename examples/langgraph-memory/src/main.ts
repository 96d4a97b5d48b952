/**
 * A LangGraph agent that waits for approval in one process and is resumed by another:
 *
 * npm start -w examples/langgraph-memory
 *
 * Data is stored in .keepsake/langgraph-memory, or in the directory that you pass as an argument.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [directory = '.keepsake/langgraph-memory'] = process.argv.slice(2);
const program = fileURLToPath(new URL('process.ts', import.meta.url));

rmSync(directory, { recursive: true, force: true });
for (const step of ['ask', 'approve', 'remember']) {
  const { status } = spawnSync(process.execPath, [...process.execArgv, program, directory, step], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
