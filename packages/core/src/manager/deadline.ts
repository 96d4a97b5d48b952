import { MemoryError } from '../errors.ts';
import { throwIfAborted } from '../store-options.ts';

/** How long work may take, and who else may end it. */
export interface Deadline {
  /** From now, in milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does work that may hang or throw at once, and that is told by its signal when nobody waits for it any more.
 *
 * @throws MemoryError `TIMEOUT` when the time is over, `ABORTED` when the caller's signal is aborted, both without
 *   waiting for the work; or whatever the work throws.
 */
export async function withDeadline<T>(
  { deadlineMs, signal }: Deadline,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  throwIfAborted(signal);
  const controller = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (error: MemoryError) => {
    ended.reject(error);
    controller.abort(error);
  };
  const abort = () => end(new MemoryError('ABORTED', 'The caller aborted this call.', { cause: signal?.reason }));
  const timer = setTimeout(() => end(new MemoryError('TIMEOUT', `No answer within ${deadlineMs} ms.`)), deadlineMs);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([ended.promise, (async () => work(controller.signal))()]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
