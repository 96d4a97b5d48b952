#!/usr/bin/env node
// The command line program `keepsake-prisma`.
import { parseArgs } from 'node:util';
import { init } from './cli/init.ts';

const help = `Usage: npx keepsake-prisma init [options]

Adds Keepsake's models and migrations to a Prisma project. Keeps files that exist.

  --schema PATH       the schema, a file or a folder (default: as in Prisma's configuration, otherwise
                      prisma/schema, prisma/schema.prisma or schema.prisma)
  --migrations PATH   the folder of the migrations (default: as in Prisma's configuration, otherwise
                      migrations, in or beside the schema's folder)
  --overwrite         replace a keepsake.prisma that differs from this version's
  -h, --help          show this help`;

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
    if (positionals.join(' ') !== 'init') throw new Error('The only command is init.');
    const { lines, complete } = init(process.cwd(), values);
    console.log(lines.join('\n'));
    return complete ? 0 : 1;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
}

process.exitCode = main();
