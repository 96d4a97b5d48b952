#!/usr/bin/env node
import { run } from './run.ts';

/** How long clients that a configuration leaves open can keep the process alive. */
const GRACE_MS = 500;

run(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
  // What was printed goes out first.
  process.stdout.write('', () => setTimeout(() => process.exit(), GRACE_MS).unref());
});
