import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

/** Does what the arguments say, and gives the code to end with. */
export async function run(args: readonly string[]): Promise<number> {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  let exitCode: number = EXIT.fine;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.fine;
    // Called with no command: its help has been shown.
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage;
    return reportFailure(error, asksForJson(args));
  }
}

/** Ends quietly when whoever reads the output has seen enough, as `head` does. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.failed);
  });
}

/** Also where the arguments could not be parsed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}
