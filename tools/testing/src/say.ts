import fs from 'node:fs';

// The original function: some programs count or replace the calls of `node:fs`.
const { writeSync } = fs;
const PAUSE_MS = 5;
const nothing = new Int32Array(new SharedArrayBuffer(4));

/**
 * Prints words of a program as a line at once, so that it is not lost if the process is killed. Waits while nobody reads the
 * output: from the first thread of a process on, writing more than fits fails instead.
 */
export function say(...words: unknown[]): void {
  const bytes = Buffer.from(`${words.join(' ')}\n`);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(nothing, 0, 0, PAUSE_MS);
    }
  }
}
