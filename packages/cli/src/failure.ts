import { EXIT, type ExitCode } from './exit-codes.ts';

/** The failure of a command. Its message is for people. */
export class Failure extends Error {
  /** The error code for programs, like that of a `MemoryError`. */
  readonly code: string;
  readonly exitCode: ExitCode;

  constructor(code: string, message: string, exitCode: ExitCode, options?: { readonly cause?: unknown }) {
    // Without a stack, which nobody sees: an input of many broken lines would take most of its time for theirs.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
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
