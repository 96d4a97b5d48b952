/** Calls `call` and returns its result, or rejects with the signal's reason as soon as the signal is aborted. */
export function untilAborted<T>(signal: AbortSignal, call: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    (async () => call())()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}
