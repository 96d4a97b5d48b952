import { MemoryError } from '@keepsake/core';

/** Room for the longest path of a layout: folder, conversation and slug. */
const MAX_PATH = 255;

/** Throws `INVALID_ARGUMENT` unless `path` is the path of a file or folder in a workspace. */
export function checkPath(path: unknown): asserts path is string {
  const isPath =
    typeof path === 'string' && path !== '' && path.length <= MAX_PATH && path.isWellFormed() && !hasForbidden(path);
  if (isPath && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')) return;
  throw new MemoryError(
    'INVALID_ARGUMENT',
    `A path must be relative, such as memories/MEMORY.md: without "..", ".", "\\", ":" and control characters, at most ${MAX_PATH} characters long.`,
  );
}

/** Throws `INVALID_ARGUMENT` if a line contains a line break. */
export function checkLine(line: string): void {
  if (!line.includes('\n')) return;
  throw new MemoryError('INVALID_ARGUMENT', 'An appended line must not contain a line break.');
}

/** A colon names a drive or a stream on Windows. */
function hasForbidden(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them.
  return /[\\:\u0000-\u001f\u007f]/.test(path);
}

/** Whether a path is below a folder. Everything is below `''`. */
export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}
