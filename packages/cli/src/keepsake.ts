#!/usr/bin/env node
import { run } from './run.ts';

run(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
