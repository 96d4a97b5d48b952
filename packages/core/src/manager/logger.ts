/** Where a manager tells what it did not throw. Messages name stores and codes, never content, queries or credentials. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

function ignore(): void {}

/** Warnings and errors go to the console, all else nowhere. */
export const consoleLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: (message) => console.warn(message),
  error: (message) => console.error(message),
};

/** Warns, whatever the logger makes of it. */
export function warn(logger: Logger, message: string): void {
  try {
    logger.warn(message);
  } catch {
    // What can't be logged must not stop what works.
  }
}
