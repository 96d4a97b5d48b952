import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** All bytes of a database and of the files beside it, as Latin-1. */
export function rawBytes(file: string): string {
  const directory = dirname(file);
  const paths = readdirSync(directory).map((name) => join(directory, name));
  // Another process reads them: closing a file drops the locks that SQLite holds on it in this process.
  return execFileSync('cat', paths, { maxBuffer: 2 ** 31 }).toString('latin1');
}

/** How often a text is in the bytes of a database and of the files beside it. Its letters may be of either case. */
export function timesInBytes(file: string, text: string): number {
  return rawBytes(file).toLowerCase().split(text.toLowerCase()).length - 1;
}
