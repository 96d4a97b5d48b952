import { expect, expectWhole, guarded } from '@keepsake/core/adapter';
import type { ConversationMemoryOptions } from './conversation-options.ts';

/** Logs a message if `debugLevel` is at least `level`. Messages have no content of users. */
export type DebugLog = (level: 1 | 2 | 3, message: string) => void;

/** @throws MemoryError `INVALID_ARGUMENT` for an invalid level or logger. */
export function debugLog({ debug = false, debugLevel = 1, logger = console }: ConversationMemoryOptions): DebugLog {
  expectWhole(debugLevel, 'debugLevel', 1, 3);
  const isLogger = guarded('`logger`', () => typeof logger?.debug === 'function');
  expect(isLogger, '`logger` must have a debug() method.');
  if (!debug) return () => {};
  return (level, message) => {
    if (level > debugLevel) return;
    try {
      logger.debug(`keepsake: ${message}`);
    } catch {
      // A failing logger must not stop working code.
    }
  };
}
