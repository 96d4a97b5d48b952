import { MemoryError } from '../errors.ts';

/** Makes a call, and rejects with the signal's reason as soon as that is aborted, whatever becomes of the call. */
export function within<T>(signal: AbortSignal, call: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    (async () => call())()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Does work that has so much time. Its signal is aborted when that is over, or when `parent` is: the work is to make its
 * calls {@link within} it, so that it ends then.
 */
export async function withDeadline<T>(
  ms: number,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new MemoryError('TIMEOUT', `It was not done within ${ms} ms.`)), ms);
  const follow = () => deadline.abort(parent?.reason);
  parent?.addEventListener('abort', follow);
  if (parent?.aborted) follow();
  try {
    return await within(deadline.signal, () => work(deadline.signal));
  } catch (error) {
    // What else was begun is not waited for any longer.
    deadline.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', follow);
  }
}
