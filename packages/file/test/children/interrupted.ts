import { say } from '@keepsake/testing/say';
import type { Job } from './job.ts';
import { tasks } from './tasks.ts';
import { watchCalls } from './watch-calls.ts';

/*
 * Does a job, and stops or kills itself before the n-th counted file system call. With `half`, it does so in the middle
 * of a call that writes.
 */

export interface Interruption {
  readonly signal: 'SIGSTOP' | 'SIGKILL';
  /** Counted from 0. */
  readonly call: number;
  /** Counts only calls that write, and interrupts in the middle of one. */
  readonly half?: boolean;
  /** Also counts calls that only read. */
  readonly reads?: boolean;
}

const job: Job & { interruption: Interruption } = JSON.parse(process.argv[2] ?? '');
const { signal, call: target, half = false, reads = false } = job.interruption;
let calls = 0;
let armed = false;

watchCalls((call) => {
  const counts = half ? call.writes : call.changes || reads;
  if (!armed || !counts || calls++ !== target) return undefined;
  armed = false;
  if (half) call.writeHalf();
  say('interrupted', call.name);
  process.kill(process.pid, signal);
  // Another thread may receive the signal, so this one waits for it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  return undefined;
});
const sources = await import('../../src/index.ts');
armed = true;
try {
  await tasks[job.task](sources, job);
  say('done', calls);
} catch (error) {
  say('failed', (error as { code?: string }).code, (error as Error).message, (error as Error).cause ?? '');
}
