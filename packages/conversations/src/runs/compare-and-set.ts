import { isMemoryError } from '@keepsake/core';

/** Whoever is beaten so often is beaten by an error. */
const MAX_ATTEMPTS = 1_000;

/** Reads, decides and writes, again and again where somebody else was faster: `attempt` rejects with `CONFLICT` then. */
export async function untilLanded<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !isMemoryError(error, 'CONFLICT')) throw error;
    }
  }
}
