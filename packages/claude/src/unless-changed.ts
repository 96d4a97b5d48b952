import { isMemoryError } from '@keepsake/core';

/** The result of a change, or `undefined` if what it changes has another version than expected. */
export async function unlessChanged<T>(change: Promise<T>): Promise<T | undefined> {
  try {
    return await change;
  } catch (error) {
    if (isMemoryError(error, 'CONFLICT')) return undefined;
    throw error;
  }
}
