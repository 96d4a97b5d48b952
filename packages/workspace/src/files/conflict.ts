import { MemoryError } from '@keepsake/core';

/** Another writer was first. */
export function conflict(path: string): MemoryError {
  return new MemoryError(
    'CONFLICT',
    `${path} was changed by another process in the meantime. Read it again and retry.`,
  );
}
