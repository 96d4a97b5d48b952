import { isMemoryError } from '../common/errors.ts';

/** Waits for a change. Returns whether it succeeded: false if it rejects with `CONFLICT`. */
export async function unlessConflict(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}
