import { EXIT, type ExitCode } from './exit-codes.ts';

/** Why a command ended early, in words for a person. */
export class Failure extends Error {
  /** For programs, like the code of a `MemoryError`. */
  readonly code: string;
  readonly exitCode: ExitCode;

  constructor(code: string, message: string, exitCode: ExitCode, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'Failure';
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The command line can't be followed. */
export function usageFailure(message: string, cause?: unknown): Failure {
  return new Failure('USAGE', message, EXIT.usage, cause === undefined ? {} : { cause });
}

/** What was to be read is not what it should be. */
export function inputFailure(message: string, cause?: unknown): Failure {
  return new Failure('INPUT', message, EXIT.failed, cause === undefined ? {} : { cause });
}
