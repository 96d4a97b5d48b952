import type { Readable } from 'node:stream';

/** Resolves at SIGINT, SIGTERM, or the end of the input. A second signal ends the process at once. */
export function untilStopped(input?: Readable): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => resolve();
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    input?.once('end', stop);
    input?.once('close', stop);
  });
}
