import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import { reportFailure } from './output/report-failure.ts';
import { createProgram } from './program.ts';
import type { Surroundings } from './surroundings.ts';

/** Runs the command that the arguments name, and returns the exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = EXIT.fine;
  const program = createProgram(surroundings, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.fine;
    // Without a command, commander has already printed the help.
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage;
    return reportFailure(error, asksForJson(args), surroundings);
  }
}

/** Scans the raw arguments, because parsing them may have failed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}
