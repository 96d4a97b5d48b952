import type { Lap } from './contest.ts';
import { median } from './statistics.ts';

/** Done when it returns, or when the promise resolves that it returns. */
export type Operation = (index: number) => Promise<void> | undefined;

/** A lap of so many operations. */
export interface Measured extends Lap {
  readonly count: number;
}

/** Who takes this long ends the lap before all is done. */
const LAP_MS = 300;

/**
 * Does operations one after the other, and takes the median of their times by the clock: for what waits for a disk, and
 * takes long enough that one operation can be timed.
 */
export async function byClock(times: number, operation: Operation): Promise<Measured> {
  const start = performance.now();
  const each = await clocked(times, operation, LAP_MS);
  return { us: median(each), ms: performance.now() - start, count: each.length };
}

/** The time of each operation by the clock, in microseconds; fewer of them, where they take longer than that. */
export async function clocked(
  times: number,
  operation: (index: number) => unknown,
  patienceMs: number,
): Promise<number[]> {
  const each: number[] = [];
  const start = performance.now();
  for (let last = start; each.length < times && last - start < patienceMs; ) {
    const done = operation(each.length);
    // What is done when it returns is not to wait.
    if (done instanceof Promise) await done;
    const now = performance.now();
    each.push((now - last) * 1000);
    last = now;
  }
  return each;
}

/**
 * Does operations one after the other, and takes the mean of the processor time that they cost, garbage collection
 * included: for what takes microseconds and waits for nothing. What other processes do does not count.
 */
export async function byProcessorTime(times: number, operation: Operation): Promise<Measured> {
  const start = performance.now();
  const before = process.cpuUsage();
  let count = 0;
  // Looking at the clock costs a part of what is measured.
  while (count < times && (count % 64 > 0 || performance.now() - start < LAP_MS)) {
    const done = operation(count++);
    // What is done when it returns is not to wait.
    if (done !== undefined) await done;
  }
  const { user, system } = process.cpuUsage(before);
  return { us: (user + system) / count, ms: performance.now() - start, count };
}
