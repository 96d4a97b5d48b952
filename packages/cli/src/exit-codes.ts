/** What the program ends with. Documented in the README: never change their meaning. */
export const EXIT = {
  fine: 0,
  /** The backend failed, a file could not be read to its end, or damage is left. */
  failed: 1,
  /** The command line asks for what can't be done. */
  usage: 2,
  /** What was asked for is not there. */
  nothing: 3,
  /** Ctrl-C: what shells make of a program that SIGINT has ended. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
