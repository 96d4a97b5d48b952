import { EXIT, type ExitCode } from './exit-codes.ts';

/** The failure of a command. Its message is for people. */
export class Failure extends Error {
  /** The error code for programs, like that of a `MemoryError`. */
  readonly code: string;
  readonly exitCode: ExitCode;

  constructor(code: string, message: string, exitCode: ExitCode, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'Failure';
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The command line is invalid. */
export function usageFailure(message: string, cause?: unknown): Failure {
  return new Failure('USAGE', message, EXIT.usage, cause === undefined ? {} : { cause });
}

/** The input is invalid. */
export function inputFailure(message: string, cause?: unknown): Failure {
  return new Failure('INPUT', message, EXIT.failed, cause === undefined ? {} : { cause });
}
