import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from '@keepsake/core/adapter';

/** After this time, a failure is final. */
const PATIENCE_MS = 30_000;

const FIRST_WAIT_MS = 4;
const LONGEST_WAIT_MS = 100;

/** How long the next wait can be, by how long the call has waited. */
type LongestWait = (waitedMs: number) => number;

const STEADY: LongestWait = () => LONGEST_WAIT_MS;

/**
 * For locks that nobody queues for, such as that of a SQLite file: who waits longest tries most often, so that nobody is
 * overtaken again and again.
 */
export const AGING: LongestWait = (waitedMs) => Math.max(FIRST_WAIT_MS, Math.min(32, 8_000 / waitedMs));

/** What tells the time and waits. */
interface Clock {
  now(): number;
  sleep(ms: number, signal: AbortSignal | undefined): Promise<unknown>;
}

const SYSTEM: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};

/** When to give up and how to wait. */
export interface Retry {
  readonly signal?: AbortSignal | undefined;
  /** When the call began, as `performance.now()` tells. */
  readonly start?: number;
  readonly longestWait?: LongestWait;
  readonly clock?: Clock;
}

/**
 * Does some work, and retries it after random, growing waits as long as `again` returns true for its error. Rejects with the
 * last error, or with `ABORTED` if the signal is aborted.
 */
export async function retrying<T>(
  work: () => PromiseLike<T>,
  again: (error: unknown) => boolean,
  { signal, clock = SYSTEM, start = clock.now(), longestWait = STEADY }: Retry = {},
): Promise<T> {
  for (let most = FIRST_WAIT_MS; ; most *= 2) {
    throwIfAborted(signal);
    const waited = () => clock.now() - start;
    try {
      return await work();
    } catch (error) {
      if (waited() > PATIENCE_MS || !again(error)) throw error;
    }
    const wait = Math.random() * Math.min(most, longestWait(waited()));
    await clock.sleep(wait, signal).catch(() => {});
  }
}
