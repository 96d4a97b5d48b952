/*
 * Runs programs one after the other in this process, each in a directory of its own. Arguments: a directory, and the
 * programs with their variables as JSON. Prints what each has printed, as JSON.
 */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { format } from 'node:util';

const [directory = '', programs = '[]'] = process.argv.slice(2);
const printed: string[] = [];
for (const [n, [program, environment]] of (JSON.parse(programs) as [string, NodeJS.ProcessEnv][]).entries()) {
  const own = join(directory, basename(program, '.ts'));
  mkdirSync(own);
  process.chdir(own);
  Object.assign(process.env, environment);
  printed.push('');
  console.log = (...args: unknown[]) => {
    printed[n] += `${format(...args)}\n`;
  };
  await import(program);
}
process.once('exit', () => process.stdout.write(JSON.stringify(printed)));
