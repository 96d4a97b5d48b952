/**
 * Receives failures that a manager does not throw. Messages contain store names and codes, never content, queries or
 * credentials.
 */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

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
