import { untilAborted } from '@keepsake/internal';
import { MemoryError } from './errors.ts';

/** A limit for the time that some work takes. */
export interface Deadline {
  /** Aborted at the deadline or by the caller. */
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Call it when the work is done: from then on, nothing aborts the signal. */
  end(): void;
}

/**
 * Starts a deadline. Work that begins at the same time shares one, because a timer and a signal for each would cost more
 * than the work.
 */
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
 * Does work that must be done within `ms` milliseconds, and rejects with `TIMEOUT` when they are over, whatever becomes of
 * the work. Its signal is aborted then, and when `parent` is, so that the work can stop its calls.
 */
export async function withDeadline<T>(
  ms: number,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, abort, end } = startDeadline(ms, parent);
  try {
    return await untilAborted(signal, () => work(signal));
  } catch (error) {
    // What else the work has started is no longer waited for.
    abort(error);
    throw error;
  } finally {
    end();
  }
}
