// A thread that watches the one that runs the inputs: it sees a loop that never ends, and memory outside of the heap.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import type { Fault } from './fault.ts';
import { FAULTS_FILE, type Limits } from './task.ts';

interface Watched {
  /** The number of the current input, -1 before the first, and that of its run. */
  readonly current: Int32Array;
  readonly directory: string;
  readonly limits: Limits;
}

const { current, directory, limits } = workerData as Watched;
const { maxWaitMs, maxResidentMib } = limits;
// A slow input finishes before this limit, so the inputs after it still run.
const maxCpuMs = limits.maxCpuMs * 4;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let watched = { input: -1, run: 0, cpuMs: cpuMs(), startMs: performance.now() };
setInterval(() => {
  const input = Atomics.load(current, 0);
  const run = Atomics.load(current, 1);
  if (input === -1 || input !== watched.input || run !== watched.run) {
    watched = { input, run, cpuMs: cpuMs(), startMs: performance.now() };
    return;
  }
  const residentMib = process.memoryUsage.rss() / 2 ** 20;
  if (residentMib > maxResidentMib) stop('memory', `The process holds ${Math.round(residentMib)} MiB.`);
  const usedMs = cpuMs() - watched.cpuMs;
  if (usedMs > maxCpuMs) stop('hang', `The input takes more than ${maxCpuMs} ms of processor time.`);
  const waitedMs = performance.now() - watched.startMs;
  if (waitedMs > maxWaitMs) stop('hang', `The input takes more than ${maxWaitMs} ms.`);
}, 50);

function stop(kind: Fault['kind'], text: string): void {
  const fault: Fault = { kind, input: watched.input, text };
  appendFileSync(join(directory, FAULTS_FILE), `${JSON.stringify(fault)}\n`);
  process.kill(process.pid, 'SIGKILL');
}
