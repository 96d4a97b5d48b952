import { parseArgs } from 'node:util';
import { init } from './init.ts';

const help = `Usage: npx keepsake-prisma init [options]

Adds Keepsake's models and migrations to a Prisma project. Keeps files that exist.

  --schema PATH       the schema, a file or a folder (default: as in Prisma's configuration, otherwise
                      prisma/schema, prisma/schema.prisma or schema.prisma)
  --migrations PATH   the folder of the migrations (default: as in Prisma's configuration, otherwise
                      migrations, in or beside the schema's folder)
  --overwrite         replace a keepsake.prisma that differs from this version's
  -h, --help          show this help`;

/** What a run of the program prints, and its exit code. */
interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program `keepsake-prisma` in the project at `cwd`. */
export function run(args: readonly string[], cwd: string): Ended {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        schema: { type: 'string' },
        migrations: { type: 'string' },
        overwrite: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) return { status: 0, stdout: `${help}\n`, stderr: '' };
    if (positionals.join(' ') !== 'init') throw new Error('The only command is init.');
    const { lines, complete } = init(cwd, values);
    return { status: complete ? 0 : 1, stdout: `${lines.join('\n')}\n`, stderr: '' };
  } catch (error) {
    return { status: 2, stdout: '', stderr: `${(error as Error).message}\n\n${help}\n` };
  }
}
