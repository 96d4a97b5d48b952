import { EXIT } from './exit-codes.ts';
import { Failure } from './failure.ts';

/** npm passes a Ctrl-C on that the terminal sends as well: what comes so soon is the same one. */
const SAME_MS = 1_000;

/**
 * Has Ctrl-C abort a signal, so that what is under way can be finished. A second one ends the process at once: nothing
 * acknowledged is lost by that either.
 */
export function listenForInterrupt(): { readonly signal: AbortSignal; readonly stopListening: () => void } {
  const controller = new AbortController();
  let first: number | undefined;
  const interrupt = () => {
    first ??= performance.now();
    if (performance.now() - first > SAME_MS) process.exit(EXIT.interrupted);
    controller.abort(
      new Failure(
        'INTERRUPTED',
        'Interrupted. What was counted is imported and stays; the same command adds the rest.',
        EXIT.interrupted,
      ),
    );
  };
  process.on('SIGINT', interrupt);
  return { signal: controller.signal, stopListening: () => void process.off('SIGINT', interrupt) };
}
