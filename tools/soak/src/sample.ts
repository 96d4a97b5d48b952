import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend } from './backends.ts';
import type { Latencies } from './load/load.ts';

/** What was measured at the end of a part of the run. Bytes, unless it says otherwise. */
export interface Sample {
  /** After a garbage collection. */
  readonly heap: number;
  readonly resident: number;
  /** Open descriptors of the process; `undefined` where the system does not list them. */
  readonly descriptors: number | undefined;
  readonly server: number | undefined;
  readonly files: Files | undefined;
  /** In milliseconds, during that part. */
  readonly read: Latency;
  readonly change: Latency;
}

interface Latency {
  readonly median: number;
  readonly p99: number;
}

export interface Files {
  readonly count: number;
  readonly bytes: number;
}

const DESCRIPTORS = '/proc/self/fd';

/** Measures the process and its backend. Needs `--expose-gc`. */
export async function takeSample({ directory, serverBytes }: Backend, latencies: Latencies): Promise<Sample> {
  if (globalThis.gc === undefined) throw new Error('Start Node with --expose-gc.');
  // What finalizers hold is freed by the second.
  globalThis.gc();
  await new Promise(setImmediate);
  globalThis.gc();
  return {
    heap: process.memoryUsage().heapUsed,
    resident: process.memoryUsage.rss(),
    descriptors: existsSync(DESCRIPTORS) ? await fewestDescriptors() : undefined,
    server: await serverBytes?.(),
    files: directory === undefined ? undefined : filesIn(directory),
    read: latencyOf(latencies.read),
    change: latencyOf(latencies.change),
  };
}

/** The fewest at several looks: operations in progress have their own for a while. */
async function fewestDescriptors(): Promise<number> {
  let fewest = Infinity;
  for (let look = 0; look < 50; look++) {
    fewest = Math.min(fewest, readdirSync(DESCRIPTORS).length);
    await sleep(10);
  }
  return fewest;
}

/** All files below a directory. Files may come and go meanwhile. */
export function filesIn(directory: string): Files {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const sizes = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return { count: paths.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function latencyOf(histogram: Latencies['read']): Latency {
  return { median: histogram.percentile(50) / 1000, p99: histogram.percentile(99) / 1000 };
}
