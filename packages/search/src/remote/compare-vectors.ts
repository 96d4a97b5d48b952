import type { VectorComparison, VectorSearchOptions } from '../vectors/comparison.ts';
import type { VectorHit } from '../vectors/slots.ts';
import { WorkSteps } from './work-steps.ts';

/**
 * Completes a comparison in steps.
 *
 * @throws MemoryError `ABORTED` between two steps.
 */
export async function compareInSteps<Key>(
  compared: VectorComparison<Key>,
  signal: AbortSignal | undefined,
): Promise<VectorComparison<Key>> {
  const steps = new WorkSteps(signal);
  while (!compared.next(() => steps.isDue)) await steps.pause();
  return compared;
}

/**
 * Finds the nearest keys of a comparison in steps.
 *
 * @throws MemoryError `ABORTED` between two steps.
 */
export async function nearestInSteps<Key>(
  compared: VectorComparison<Key>,
  { limit = 10, filter, after }: VectorSearchOptions<Key>,
  signal: AbortSignal | undefined,
): Promise<VectorHit<Key>[]> {
  const steps = new WorkSteps(signal);
  const nearest = compared.finding(limit, after);
  for (;;) {
    const hits = nearest.next(() => steps.isDue, filter);
    if (hits !== undefined) return hits;
    await steps.pause();
  }
}
