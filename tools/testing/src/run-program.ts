import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { commandOf } from './program-command.ts';

/** The exit and the output of a program. */
interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a TypeScript file against the sources of the workspace, in a separate process, to its end.
 *
 * @param options - `cwd`, and variables of the `environment`; `undefined` removes one.
 */
export async function runProgram(
  path: string,
  args: readonly string[] = [],
  { cwd, environment }: { readonly cwd?: string; readonly environment?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const running = spawn(process.execPath, [...commandOf(path), ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<Pick<Ended, 'status' | 'signal'>>((resolve, reject) => {
    running.on('error', reject);
    running.on('close', (status, signal) => resolve({ status, signal }));
  });
  const [end, stdout, stderr] = await Promise.all([closed, text(running.stdout), text(running.stderr)]);
  return { ...end, stdout, stderr };
}
