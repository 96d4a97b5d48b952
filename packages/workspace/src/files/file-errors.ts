import { isMemoryError, MemoryError } from '@keepsake/core';

/** Runs a task. Failures of the file system become `BACKEND`, with advice and the failure as the cause. */
export async function withAdvice<T>(task: () => T | Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (isMemoryError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const advice = ADVICE[code ?? ''] ?? 'The file system failed, see the cause. Earlier files are intact.';
    throw new MemoryError('BACKEND', advice, { cause: error });
  }
}

const DENIED = 'This user has no permission to read or write the workspace directory. Change its permissions.';
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full, so the change was not made. Free some space and try again.',
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: 'The workspace directory is on a read-only file system. Choose another directory.',
  ENOTDIR: 'Part of a path in the workspace is a file. Move it away.',
  ENXIO: 'There is a pipe, a socket or a device where the workspace needs a file. Move it away.',
  EISDIR: 'There is a folder where the workspace needs a file. Move it away.',
  ELOOP: 'There is a symbolic link in the workspace. Replace it with the file itself.',
};
