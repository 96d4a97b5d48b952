import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from './failure.ts';

/**
 * Writes files into a directory that is empty or does not exist yet.
 *
 * @throws Failure if there is something, or the system refuses.
 */
export function writeProject(directory: string, files: ReadonlyMap<string, string>): void {
  try {
    mkdirSync(directory, { recursive: true });
    if (readdirSync(directory).length > 0) {
      throw new Failure(`${directory} is not empty. Choose another directory. Nothing was written.`);
    }
    for (const [path, text] of files) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text, { flag: 'wx' });
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`Can't write the project to ${directory}: ${(error as Error).message}`);
  }
}
