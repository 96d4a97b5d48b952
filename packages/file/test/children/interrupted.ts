import { type Job, say } from './job.ts';
import { tasks } from './tasks.ts';
import { watchCalls } from './watch-calls.ts';

/*
 * Does a job, and stops or kills itself before the n-th call of the file system that counts; or, where `half` is set,
 * in the middle of it, where it writes.
 */

export interface Interruption {
  readonly signal: 'SIGSTOP' | 'SIGKILL';
  /** Counted from 0. */
  readonly call: number;
  /** Counts calls that write, and comes in their middle. */
  readonly half?: boolean;
  /** Counts the calls as well that only look. */
  readonly looks?: boolean;
}

const job: Job & { interruption: Interruption } = JSON.parse(process.argv[2] ?? '');
const { signal, call: target, half = false, looks = false } = job.interruption;
let calls = 0;
let armed = false;

watchCalls((call) => {
  const counts = half ? call.writes : call.changes || looks;
  if (!armed || !counts || calls++ !== target) return undefined;
  armed = false;
  if (half) call.writeHalf();
  say('interrupted', call.name);
  process.kill(process.pid, signal);
  // Other threads may take the signal: this one goes nowhere until they did.
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
