import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from '@keepsake/core';

/** How often something is tried, and how long the longest wait in between can be: some 20 s in all, at the very most. */
const TRIES = 20;
const FIRST_WAIT_MS = 4;
const LONGEST_WAIT_MS = 1_500;

/**
 * Does something, and does it again after a while, which is random and grows, as long as it fails so that `again` says
 * yes. Gives up with the last error; with `ABORTED` when the signal is.
 */
export async function retrying<T>(
  work: () => PromiseLike<T>,
  again: (error: unknown) => boolean,
  signal?: AbortSignal,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried === TRIES || !again(error)) throw error;
    }
    const most = Math.min(FIRST_WAIT_MS * 2 ** tried, LONGEST_WAIT_MS);
    await sleep(Math.random() * most, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    throwIfAborted(signal);
  }
}
