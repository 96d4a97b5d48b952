import { expect } from 'vitest';
import type { MemoryErrorCode } from '../../src/index.ts';

/** Matches a MemoryError of that code, whose message is (or, for a pattern, matches) `message`. */
export function memoryError(code: MemoryErrorCode, message: string | RegExp): Error {
  const words: unknown = typeof message === 'string' ? message : expect.stringMatching(message);
  return expect.objectContaining({ name: 'MemoryError', code, message: words });
}
