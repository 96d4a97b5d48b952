import { Console } from 'node:console';
import { CommanderError } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import { printable } from './printable.ts';
import { red } from './style.ts';

/** Prints an error to standard error and returns the exit code. */
export function reportFailure(error: unknown, json: boolean, { env, stderr }: Surroundings): ExitCode {
  const { code, message, exitCode } = describe(error);
  if (json) {
    stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
  } else {
    stderr.write(`${red('keepsake:', stderr)} ${printable(message, { lines: true })}\n`);
  }
  if (env.KEEPSAKE_DEBUG) new Console(stderr).error(error);
  return exitCode;
}

function describe(error: unknown): { code: string; message: string; exitCode: ExitCode } {
  if (error instanceof Failure) return error;
  if (error instanceof CommanderError) {
    const help = 'See keepsake --help.';
    return { code: 'USAGE', message: `${error.message.replace(/^error: /, '')}\n${help}`, exitCode: EXIT.usage };
  }
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
  // Errors of the store have a code, and the system error as their cause.
  const why = cause instanceof Error ? `\n(${cause.message})` : '';
  if (typeof code !== 'string') {
    const hint = 'This error is unexpected. Set KEEPSAKE_DEBUG=1 to see the stack trace.';
    return { code: 'UNEXPECTED', message: `${String(message ?? error)}\n${hint}`, exitCode: EXIT.failed };
  }
  const exitCode = code === 'INVALID_ARGUMENT' || code === 'TOO_LARGE' ? EXIT.usage : EXIT.failed;
  return { code, message: `${String(message)}${why}`, exitCode };
}
