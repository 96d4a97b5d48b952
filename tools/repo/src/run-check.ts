import { spawn } from 'node:child_process';

const MINUTE = 60_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Where and how a check runs. */
interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Gets the output. By default, the check writes to the output of this process. */
  readonly onOutput?: (chunk: Buffer) => unknown;
  /** The time limit in minutes; 50 by default. */
  readonly minutes?: number;
}

/**
 * Runs a shell command to its end, and returns whether it succeeded: its exit status is 0, and no process that it started
 * still writes to its output.
 *
 * After the time limit, it is killed with every process of its group, and has failed: a check that hangs must let the checks
 * after it run.
 */
export async function runCheck(command: string, { cwd, env, onOutput, minutes = 50 }: Surroundings): Promise<boolean> {
  const stdio = onOutput === undefined ? 'inherit' : 'pipe';
  // In a process group of its own, so that a signal reaches all.
  const running = spawn(command, { cwd, env, shell: true, detached: true, stdio: ['ignore', stdio, stdio] });
  for (const stream of [running.stdout, running.stderr]) stream?.on('data', (chunk) => onOutput?.(chunk));
  const killAll = () => {
    try {
      process.kill(-(running.pid as number), 'SIGKILL');
    } catch {
      // All have ended.
    }
  };
  const stop = () => {
    killAll();
    process.exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    console.error(`Killed after ${minutes} minutes: ${command}`);
    killAll();
    // A process that left the group would keep them open.
    for (const stream of [running.stdout, running.stderr]) stream?.destroy();
  }, minutes * MINUTE);
  try {
    return await new Promise((resolve, reject) => {
      running.on('error', reject);
      running.on('close', (status) => resolve(status === 0 && !isLate));
    });
  } finally {
    clearTimeout(timer);
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
