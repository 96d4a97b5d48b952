import { isMemoryError } from './errors.ts';

/** Waits for a change, and says whether it was made: not where it rejects with `CONFLICT`, as somebody else came first. */
export async function unlessConflict(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return false;
    throw error;
  }
}
