import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '@keepsake/testing/run';
import type { Compilation, Compiler } from './compiler.ts';

/** Compiles with the command `tsc`, which checks all files, and drops the errors of files that don't count. */
export function checkByCommand(tsc: string): Compiler['check'] {
  return async ({ project, files, options, isChecked }: Compilation) => {
    const config = join(project, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions: options, files }));
    const written = await run(process.execPath, [tsc, '--project', config, '--pretty', 'false'], {
      cwd: project,
    }).catch((error: Error) => {
      if (!/\berror TS\d+: /.test(error.message)) throw error;
      // The first line is the command.
      return error.message.slice(error.message.indexOf('\n') + 1);
    });
    return diagnosticsOf(written).filter((diagnostic) => {
      const path = /^(.*?)\(\d+,\d+\): /.exec(diagnostic)?.[1];
      return path === undefined || isChecked(join(project, path));
    });
  };
}

/** The following lines of a diagnostic are indented. */
function diagnosticsOf(written: string): string[] {
  return written
    .split(/\n(?=\S)/)
    .map((diagnostic) => diagnostic.trim())
    .filter((diagnostic) => diagnostic !== '');
}
