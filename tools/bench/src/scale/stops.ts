import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** The longest stops while something ran, in microseconds. */
export interface Stops {
  /** Of the event loop of this process. */
  readonly process: number;
  /** Of the server, if there is one. */
  readonly server?: number;
}

const RESOLUTION_MS = 1;

/** Runs `work` and measures for how long the event loop, and the server that `ping` asks, did nothing else. */
export async function withStops(work: () => Promise<void>, ping?: () => Promise<unknown>): Promise<Stops> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await sleep(5);
  let isRunning = true;
  const pinging = ping && longestPing(ping, () => isRunning);
  try {
    await work();
    // So that the timer of the monitor is late if the work ended with a stop.
    await sleep(5);
  } finally {
    isRunning = false;
    delay.disable();
  }
  const process = Math.max(0, delay.max / 1_000 - RESOLUTION_MS * 1_000);
  return pinging === undefined ? { process } : { process, server: await pinging };
}

async function longestPing(ping: () => Promise<unknown>, isRunning: () => boolean): Promise<number> {
  let longest = 0;
  while (isRunning()) {
    const start = performance.now();
    await ping();
    longest = Math.max(longest, performance.now() - start);
    await sleep(1);
  }
  return longest * 1_000;
}
