import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of all files below a directory. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

/** The names and contents of all files below a directory, as one text. */
export function rawScan(directory: string): string {
  return filesBelow(directory)
    .map((path) => `${path}\n${readFileSync(path, 'latin1')}`)
    .join('\n');
}

/** Makes a folder and all folders in it old, so that their times tell whether they are touched again. */
export function makeOld(folder: string): void {
  const past = new Date(Date.now() - 60_000);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of ['', ...names]) utimesSync(join(folder, name), past, past);
}
