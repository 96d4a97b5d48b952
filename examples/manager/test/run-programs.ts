/*
 * Runs programs one after the other in this process, each in a directory of its own. Arguments: a directory, and the
 * programs. Prints what each has printed, as JSON.
 */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { format } from 'node:util';

const [directory = '', ...programs] = process.argv.slice(2);
const printed: Record<string, string> = {};
for (const program of programs) {
  const own = join(directory, basename(program, '.ts'));
  mkdirSync(own);
  process.chdir(own);
  printed[program] = '';
  console.log = (...args: unknown[]) => {
    printed[program] += `${format(...args)}\n`;
  };
  await import(program);
}
process.once('exit', () => process.stdout.write(JSON.stringify(printed)));
