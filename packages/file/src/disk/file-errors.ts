import { isMemoryError, MemoryError } from '@keepsake/core';

/** Passes on a result. Turns a file system error into a `MemoryError` that says what to do. */
export async function asMemoryError<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw isMemoryError(error) ? error : toMemoryError(error);
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full, so nothing was written. Free some space and try again.',
  EDQUOT: 'The disk quota is used up, so nothing was written. Free some space and try again.',
  EACCES:
    'This user has no permission to read or write the directory. Change the permissions or choose another directory.',
  EPERM:
    'This user has no permission to read or write the directory. Change the permissions or choose another directory.',
  EROFS: 'The directory is on a read-only file system. Choose another directory.',
  ENOTDIR: 'Part of the path to the directory is a file. Choose another directory.',
  ELOOP: 'There is a symbolic link instead of a file that belongs to Keepsake. Replace it with the file itself.',
  EMFILE: 'This process has too many open files. Raise its limit or open fewer at a time.',
};

function toMemoryError(error: unknown): MemoryError {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const message = ADVICE[code] ?? 'The file system failed, see the cause. Earlier data is intact.';
  return new MemoryError('BACKEND', message, { cause: error });
}
