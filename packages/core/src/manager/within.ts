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

/** So much time for some work. */
export interface Deadline {
  /** Aborted when the time is over, or the caller aborts. */
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** The work is over: nothing is aborted any more. */
  end(): void;
}

/** Starts the time. One deadline serves all that begins at once: a timer and a signal each would cost more than the work. */
export function startDeadline(ms: number, parent: AbortSignal | undefined): Deadline {
  const control = new AbortController();
  const abort = (reason: unknown) => control.abort(reason);
  const timer = setTimeout(() => abort(new MemoryError('TIMEOUT', `It was not done within ${ms} ms.`)), ms);
  const follow = () => abort(parent?.reason);
  parent?.addEventListener('abort', follow);
  if (parent?.aborted) follow();
  const end = () => {
    clearTimeout(timer);
    parent?.removeEventListener('abort', follow);
  };
  return { signal: control.signal, abort, end };
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
  const { signal, abort, end } = startDeadline(ms, parent);
  try {
    return await within(signal, () => work(signal));
  } catch (error) {
    // What else was begun is not waited for any longer.
    abort(error);
    throw error;
  } finally {
    end();
  }
}
