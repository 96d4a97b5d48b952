import { MemoryError } from '@keepsake/core';
import { isUnusable } from '@keepsake/search';

/** What was intact when it was first read is damaged now. */
export class Spoilt extends MemoryError {
  constructor() {
    super('CORRUPT', 'A line that was intact is damaged now. The disk may be failing.');
  }
}

/** Whether reading the whole log without an index finds the damage. */
export function isSpoilt(error: unknown): boolean {
  return error instanceof Spoilt || isUnusable(error);
}
