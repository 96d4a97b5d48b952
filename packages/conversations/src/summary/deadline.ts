import { MemoryError } from '@keepsake/core';

/** How long a model may take for a summary or a profile. */
const DEADLINE_MS = 60_000;

/** Does what has so much time, and rejects with `TIMEOUT` when that is over, whatever becomes of it. */
export async function withDeadline<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    const error = new MemoryError(
      'TIMEOUT',
      `It was not done within ${DEADLINE_MS} ms. It is tried again at the next save.`,
    );
    deadline.abort(error);
    reject(error);
  }, DEADLINE_MS);
  try {
    return await Promise.race([work(deadline.signal), over]);
  } finally {
    clearTimeout(timer);
  }
}
