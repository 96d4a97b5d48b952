import { isMemoryError } from '@keepsake/core';

/** What a call gives, or the code of the `MemoryError` that it rejects with: so two can be compared. */
export async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (isMemoryError(error)) return error.code;
    throw error;
  }
}
