import { MemoryError } from '@keepsake/core';

/** Somebody else was first. */
export function conflict(path: string): MemoryError {
  return new MemoryError('CONFLICT', `${path} was changed by somebody else meanwhile. Read it again, and try again.`);
}
