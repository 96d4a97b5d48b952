import { EXIT } from './exit-codes.ts';
import { Failure } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

/** npm forwards the signal that the terminal also sends: two signals within this time are the same Ctrl-C. */
const SAME_PRESS_MS = 1_000;

/**
 * Makes Ctrl-C abort a signal, so that the step in flight can finish. A second Ctrl-C ends the process immediately, which
 * loses nothing that was acknowledged.
 */
export function listenForInterrupt(surroundings: Surroundings): {
  readonly signal: AbortSignal;
  readonly stopListening: () => void;
} {
  const controller = new AbortController();
  let first: number | undefined;
  const interrupt = () => {
    first ??= performance.now();
    if (performance.now() - first > SAME_PRESS_MS) surroundings.exit(EXIT.interrupted);
    controller.abort(
      new Failure(
        'INTERRUPTED',
        'Interrupted. The counted memories are stored. Run the same command again to add the rest.',
        EXIT.interrupted,
      ),
    );
  };
  surroundings.on('SIGINT', interrupt);
  return { signal: controller.signal, stopListening: () => void surroundings.off('SIGINT', interrupt) };
}
