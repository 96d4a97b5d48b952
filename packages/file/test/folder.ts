import { readdirSync, readFileSync, statSync } from 'node:fs';
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
