import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from '@keepsake/core/adapter';

/** After this time, a failure is final. */
const PATIENCE_MS = 30_000;

/** Short waits, because other statements are soon done, and a caller that waits for long is overtaken again and again. */
const FIRST_WAIT_MS = 4;
const LONGEST_WAIT_MS = 100;

/**
 * Does some work, and retries it after random, growing waits as long as `again` returns true for its error. Rejects with the
 * last error, or with `ABORTED` if the signal is aborted.
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
