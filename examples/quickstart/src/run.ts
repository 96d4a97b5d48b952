import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs a program of this folder in a separate process. If it fails, this process exits as well.
 *
 * @param input - Its standard input, instead of that of this process.
 */
export function run(program: string, args: readonly string[], input?: string): void {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, path, ...args], {
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
    ...(input !== undefined && { input }),
  });
  if (status !== 0) process.exit(status ?? 1);
}
