/** The exit codes of the program. They are documented in the README: never change their meaning. */
export const EXIT = {
  fine: 0,
  /** The backend failed, a file could not be read to its end, or damage remains. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The requested data does not exist, or a list is empty. */
  nothing: 3,
  /** Ctrl-C: the exit code that shells report for SIGINT. */
  interrupted: 130,
} as const;

/** The exit code of a command that prints a list. */
export function exitCodeOf(results: readonly unknown[]): ExitCode {
  return results.length > 0 ? EXIT.fine : EXIT.nothing;
}

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
