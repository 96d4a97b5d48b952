import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from '@keepsake/core';

/** How long something is tried. */
const PATIENCE_MS = 30_000;

/** The waits in between: short, since others are done soon, and whoever waits for long comes late again and again. */
const FIRST_WAIT_MS = 4;
const LONGEST_WAIT_MS = 100;

/**
 * Does something, and does it again after a while, which is random and grows, as long as it fails so that `again` says
 * yes. Gives up with the last error; with `ABORTED` when the signal is.
 */
export async function retrying<T>(
  work: () => PromiseLike<T>,
  again: (error: unknown) => boolean,
  signal?: AbortSignal,
): Promise<T> {
  const start = performance.now();
  for (let most = FIRST_WAIT_MS; ; most = Math.min(2 * most, LONGEST_WAIT_MS)) {
    throwIfAborted(signal);
    try {
      return await work();
    } catch (error) {
      if (performance.now() - start > PATIENCE_MS || !again(error)) throw error;
    }
    await sleep(Math.random() * most, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}
