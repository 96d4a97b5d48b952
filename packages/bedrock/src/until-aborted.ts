import { throwIfAborted } from '@keepsake/core';

/** What becomes of a promise, or `ABORTED` as soon as the signal is aborted: for work that others wait for too. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  throwIfAborted(signal);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const listener = () => stop();
  signal.addEventListener('abort', listener, { once: true });
  try {
    const first = await Promise.race([promise, stopped]);
    throwIfAborted(signal);
    return first as T;
  } finally {
    signal.removeEventListener('abort', listener);
  }
}
