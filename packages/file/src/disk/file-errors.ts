import { isMemoryError, MemoryError } from '@keepsake/core';

/** Passes on a result; an error of the file system becomes a `MemoryError` that says what it means. */
export async function asMemoryError<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw isMemoryError(error) ? error : toMemoryError(error);
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: nothing was written. Free some space and try again.',
  EDQUOT: 'The disk quota is used up: nothing was written. Free some space and try again.',
  EACCES: 'The directory may not be written or read by this user. Change its permissions, or choose another.',
  EPERM: 'The directory may not be written or read by this user. Change its permissions, or choose another.',
  EROFS: 'The directory is on a file system that can only be read. Choose another.',
  ENOTDIR: 'A part of the path to the directory is a file. Choose another directory.',
  ELOOP: 'A symbolic link stands where Keepsake has a file of its own. Put the file itself there.',
  EMFILE: 'This process has too many files open. Raise its limit, or open fewer at a time.',
};

function toMemoryError(error: unknown): MemoryError {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  const message = ADVICE[code] ?? 'The file system failed, see the cause. Earlier data is whole.';
  return new MemoryError('BACKEND', message, { cause: error });
}
