import { MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';

/** Throws `CORRUPT` unless what was read of a thread is what a saver writes. */
export function expectIntact(isIntact: boolean, cause?: unknown): asserts isIntact {
  if (!isIntact) throw new MemoryError('CORRUPT', 'A checkpoint is damaged. Delete the thread.', { cause });
}

/** Whether a value is an object whose fields with these names are texts. */
export function hasTexts(value: unknown, ...names: readonly string[]): value is Record<string, unknown> {
  return isObject(value) && names.every((name) => typeof value[name] === 'string');
}
