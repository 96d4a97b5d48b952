/** Ends the program with a message for people. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** The command line is invalid. */
export function usageFailure(message: string): Failure {
  return new Failure(`${message}\nSee create-keepsake --help.`, 2);
}
