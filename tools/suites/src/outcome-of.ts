import { isMemoryError } from '@keepsake/core';

/** The result of a call, or the code of its `MemoryError`, so that two outcomes are comparable. */
export async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (isMemoryError(error)) return error.code;
    throw error;
  }
}
