#!/usr/bin/env node
import { run } from './run.ts';

run(process.argv.slice(2), process).then((exitCode) => {
  process.exitCode = exitCode;
});
