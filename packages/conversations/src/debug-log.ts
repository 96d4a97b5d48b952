import type { DebugConfig } from './conversation-options.ts';

/** Logs a message if the level of the settings is at least `level`. Messages have no content of users. */
export type DebugLog = (level: 1 | 2 | 3, message: string) => void;

/** Logs nothing without settings. */
export function debugLog(config: DebugConfig | undefined): DebugLog {
  if (config === undefined) return () => {};
  const { level: maxLevel = 1, logger = console } = config;
  return (level, message) => {
    if (level > maxLevel) return;
    try {
      logger.debug(`keepsake: ${message}`);
    } catch {
      // A failing logger must not stop working code.
    }
  };
}
