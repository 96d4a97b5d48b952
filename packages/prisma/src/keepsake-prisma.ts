#!/usr/bin/env node
// The command line `keepsake-prisma`.
import { parseArgs } from 'node:util';
import { init } from './init.ts';

const help = `Usage: npx keepsake-prisma init [options]

Puts the models and the migrations of Keepsake into a Prisma project. What is there stays as it is.

  --schema PATH       the schema, a file or a folder; by default prisma/schema, prisma/schema.prisma or schema.prisma
  --migrations PATH   the folder of the migrations; by default migrations, beside the schema
  --overwrite         replaces a keepsake.prisma that is another than that of this version`;

function main(): number {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        schema: { type: 'string' },
        migrations: { type: 'string' },
        overwrite: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) {
      console.log(help);
      return 0;
    }
    if (positionals.join(' ') !== 'init') throw new Error('The one command is init.');
    const { lines, complete } = init(process.cwd(), values);
    console.log(lines.join('\n'));
    return complete ? 0 : 1;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
}

process.exitCode = main();
