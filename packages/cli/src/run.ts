import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import { reportFailure } from './output/report-failure.ts';
import { createProgram } from './program.ts';

/** Runs the command that the arguments name, and returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  exitWithReader(process.stdout);
  exitWithReader(process.stderr);
  let exitCode: number = EXIT.fine;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.fine;
    // Without a command, commander has already printed the help.
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage;
    return reportFailure(error, asksForJson(args));
  }
}

/** Exits quietly if the reader of the output closes the pipe early, as `head` does. */
function exitWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.failed);
  });
}

/** Scans the raw arguments, because parsing them may have failed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}
