import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';

/** Whether a case found what it looked for, or met an error that should not have been thrown; it did not stumble. */
export function isVerdict(failure: unknown): boolean {
  const found = failure instanceof assert.AssertionError || String(failure).startsWith('Error: Property failed');
  return found || isMemoryError(failure);
}
