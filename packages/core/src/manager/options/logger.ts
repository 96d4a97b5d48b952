import { LruMap } from '@keepsake/internal';

/**
 * Receives failures that a manager does not throw. Messages contain store names, codes, and what the stores themselves say
 * of a failure, never content, queries or credentials.
 */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** How many messages are known to have been logged, per logger. */
const MAX_SAID = 1_000;
/** When a logger was last told what. Managers of users share a logger. */
const said = /* @__PURE__ */ new WeakMap<Logger, LruMap<string, { at: number }>>();

function ignore(): void {}

/** Logs warnings and errors to the console and drops everything else. */
export const consoleLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: (message) => console.warn(message),
  error: (message) => console.error(message),
};

/** Logs a warning, ignoring errors of the logger. */
export function warn(logger: Logger, message: string): void {
  try {
    logger.warn(message);
  } catch {
    // A failing logger must not stop working code.
  }
}

/**
 * Logs a warning unless this logger was told the same.
 *
 * @param key - What counts as the same. @default The message.
 * @param againAfterMs - After how many milliseconds it is logged again. @default Never.
 */
export function warnOnce(
  logger: Logger,
  message: string,
  key = message,
  againAfterMs = Number.POSITIVE_INFINITY,
): void {
  const times = said.get(logger) ?? new LruMap<string, { at: number }>(MAX_SAID);
  said.set(logger, times);
  const now = performance.now();
  const last = times.getOrCreate(key, () => ({ at: Number.NEGATIVE_INFINITY }));
  if (now - last.at < againAfterMs) return;
  last.at = now;
  warn(logger, message);
}
