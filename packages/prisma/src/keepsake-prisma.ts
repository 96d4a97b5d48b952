#!/usr/bin/env node
// The command line program `keepsake-prisma`.
import { run } from './cli/run.ts';

const { status, stdout, stderr } = run(process.argv.slice(2), process.cwd());
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = status;
