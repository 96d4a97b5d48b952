import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { MemoryError } from '@keepsake/core';

const NAMES = ['ts', 'mts', 'js', 'mjs'].map((extension) => `keepsake.config.${extension}`);

/**
 * Finds the nearest `keepsake.config.ts`, `.mts`, `.js` or `.mjs`, in this order, in a directory or one above it.
 *
 * @param from - The directory to start in. Default: that of the process.
 * @returns Its absolute path, or `undefined`.
 * @throws MemoryError `INVALID_ARGUMENT` if another user of this machine may have written it: it or its directory belongs to
 *   neither this user nor root, or everyone may write there.
 */
export function findConfig(from: string = process.cwd()): string | undefined {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    const file = NAMES.map((name) => join(directory, name)).find(isFile);
    if (file !== undefined) expectOwn(file);
    if (file !== undefined || directory === dirname(directory)) return file;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const STICKY = 0o1000;
const WRITABLE_BY_ALL = 0o002;

/** A configuration is a program, and one in a directory above may be anyone's. Windows has other owners and modes. */
function expectOwn(path: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const [file, directory] = [statSync(path), statSync(dirname(path))];
  const isOthers = [file, directory].some(({ uid }) => uid !== user && uid !== 0);
  // Where files are sticky, only their owners can replace them.
  const isOpen =
    (file.mode & WRITABLE_BY_ALL) !== 0 || (directory.mode & (WRITABLE_BY_ALL | STICKY)) === WRITABLE_BY_ALL;
  if (!isOthers && !isOpen) return;
  const why = isOthers ? 'it or its directory belongs to another user' : 'everyone may write to it or its directory';
  throw new MemoryError(
    'INVALID_ARGUMENT',
    `${path} was found, but is not run: ${why}. If you trust it, name it (--config, or \`path\` of openConfig), or change its owner or mode.`,
  );
}
