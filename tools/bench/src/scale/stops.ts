import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { PingedServer } from './backend.ts';

/** The longest stops while something ran, in microseconds. */
export interface Stops {
  /** Of the event loop of this process. */
  readonly process: number;
  /** Of the server, if there is one. */
  readonly server?: number;
}

const RESOLUTION_MS = 1;

/** Runs `work` and measures for how long the event loop, and the server, did nothing else. */
export async function withStops(work: () => Promise<void>, server?: PingedServer): Promise<Stops> {
  // A thread, because the answers would wait for the event loop of this one.
  const pings = server && new Worker(new URL('../children/ping-server.ts', import.meta.url), { workerData: server });
  if (pings) await once(pings, 'message');
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await sleep(5);
  try {
    await work();
    // So that the timer of the monitor is late if the work ended with a stop.
    await sleep(5);
  } finally {
    delay.disable();
    pings?.postMessage('stop');
  }
  const process = Math.max(0, delay.max / 1_000 - RESOLUTION_MS * 1_000);
  if (pings === undefined) return { process };
  const [longest] = (await once(pings, 'message')) as [number];
  return { process, server: longest };
}
