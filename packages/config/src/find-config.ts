import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const NAMES = ['ts', 'mts', 'js', 'mjs'].map((extension) => `keepsake.config.${extension}`);

/**
 * Finds the nearest `keepsake.config.ts`, `.mts`, `.js` or `.mjs`, in this order, in a directory or one above it.
 *
 * @param from - The directory to start in. Default: that of the process.
 * @returns Its absolute path, or `undefined`.
 */
export function findConfig(from: string = process.cwd()): string | undefined {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    const found = NAMES.map((name) => join(directory, name)).find(isFile);
    if (found !== undefined || directory === dirname(directory)) return found;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
