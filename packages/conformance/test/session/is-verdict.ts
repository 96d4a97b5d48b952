import assert from 'node:assert/strict';
import { isMemoryError } from '@keepsake/core';

/** Whether the failure of a case is a failed assertion or an unexpected `MemoryError`, and not a crash. */
export function isVerdict(failure: unknown): boolean {
  const found = failure instanceof assert.AssertionError || String(failure).startsWith('Error: Property failed');
  return found || isMemoryError(failure);
}
