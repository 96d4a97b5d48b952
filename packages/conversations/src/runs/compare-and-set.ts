import { isMemoryError } from '@keepsake/core';

/** More conflicts than this indicate a fault. */
const MAX_ATTEMPTS = 1_000;

/** Retries `attempt`, which reads, decides and writes, while it rejects with `CONFLICT`. */
export async function untilLanded<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !isMemoryError(error, 'CONFLICT')) throw error;
    }
  }
}
