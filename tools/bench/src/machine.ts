import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

/** Where and when a benchmark ran. */
export interface Machine {
  readonly date: string;
  readonly node: string;
  readonly platform: string;
  readonly cpus: number;
  readonly cpu: string;
  /** Which Keepsake was measured: the build, which users run, or its sources. */
  readonly keepsake: 'build' | 'sources';
}

export function machine(): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpus: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    keepsake: import.meta.resolve('@keepsake/core').includes('/dist/') ? 'build' : 'sources',
  };
}

/** The bytes that this process has read from files so far; `undefined` if the system does not report them. */
export function bytesRead(): number | undefined {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1]);
  } catch {
    return undefined;
  }
}
