#!/usr/bin/env node
import { run } from './cli/run.ts';

run(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
