import type { Lap } from './contest.ts';
import { median } from './statistics.ts';

/** One operation, synchronous or asynchronous. */
export type Operation = (index: number) => Promise<void> | undefined;

/** Measures a lap of a number of operations. */
export interface Measured extends Lap {
  readonly count: number;
}

/** A lap ends early after this time. */
const LAP_MS = 300;

/**
 * Runs operations one after the other and returns the median of their wall-clock times: for operations that wait for a disk
 * and are long enough to time individually.
 */
export async function byClock(times: number, operation: Operation): Promise<Measured> {
  const start = performance.now();
  const each = await clocked(times, operation, LAP_MS);
  return { us: median(each), ms: performance.now() - start, count: each.length };
}

/** The wall-clock time of each operation in microseconds; fewer operations if they take too long. */
export async function clocked(
  times: number,
  operation: (index: number) => unknown,
  patienceMs: number,
): Promise<number[]> {
  const each: number[] = [];
  const start = performance.now();
  for (let last = start; each.length < times && last - start < patienceMs; ) {
    const done = operation(each.length);
    // Synchronous operations must not be awaited.
    if (done instanceof Promise) await done;
    const now = performance.now();
    each.push((now - last) * 1000);
    last = now;
  }
  return each;
}

/**
 * Runs operations one after the other and returns the mean of their processor time, including garbage collection: for
 * operations that take microseconds and wait for nothing. Other processes do not count.
 */
export async function byProcessorTime(times: number, operation: Operation): Promise<Measured> {
  const start = performance.now();
  const before = process.cpuUsage();
  let count = 0;
  // Reading the clock is a part of the measured cost.
  while (count < times && (count % 64 > 0 || performance.now() - start < LAP_MS)) {
    const done = operation(count++);
    // Synchronous operations must not be awaited.
    if (done !== undefined) await done;
  }
  const { user, system } = process.cpuUsage(before);
  return { us: (user + system) / count, ms: performance.now() - start, count };
}
