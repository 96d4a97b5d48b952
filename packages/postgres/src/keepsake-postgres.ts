#!/usr/bin/env node
// The command line program `keepsake-postgres`.
import { run } from './cli.ts';

run(process.argv.slice(2), process.cwd(), process.env.DATABASE_URL).then(({ status, stdout, stderr }) => {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status;
});
