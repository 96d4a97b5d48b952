import type { Logger } from '../../src/index.ts';

/** A logger that records its messages. */
export function memoryLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const log = (message: string) => void lines.push(message);
  return { lines, debug: log, info: log, warn: log, error: log };
}
