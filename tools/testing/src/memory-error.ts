import { expect } from 'vitest';

/** Matches a MemoryError with that code, and with that message or one that matches the pattern. */
export function memoryError(code: string, message: string | RegExp): Error {
  const words: unknown = typeof message === 'string' ? message : expect.stringMatching(message);
  return expect.objectContaining({ name: 'MemoryError', code, message: words });
}
