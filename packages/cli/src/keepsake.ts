#!/usr/bin/env node
import { EXIT } from './exit-codes.ts';
import { run } from './run.ts';

/** How long clients that a configuration leaves open can keep the process alive. */
const GRACE_MS = 500;

for (const stream of [process.stdout, process.stderr]) {
  // Exits quietly if the reader of the output closes the pipe early, as `head` does.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? EXIT.fine : EXIT.failed);
  });
}

run(process.argv.slice(2), process).then((exitCode) => {
  process.exitCode = exitCode;
  // What was printed goes out first.
  process.stdout.write('', () => setTimeout(() => process.exit(), GRACE_MS).unref());
});
