import { isMemoryError, MemoryError, type Namespace, parseNamespace } from '@keepsake/core';

/** For a value that the package never writes: the file was damaged, or changed by another program. */
export function damaged(what: string, cause?: unknown): MemoryError {
  return new MemoryError('CORRUPT', `${what} is damaged in the file. Restore a backup, or clear the store.`, { cause });
}

/** A time as ISO 8601. @throws MemoryError `CORRUPT` for one beyond the times of JavaScript. */
export function readTime(ms: number): string {
  const time = new Date(ms);
  if (Number.isNaN(time.getTime())) throw damaged('A time');
  return time.toISOString();
}

/** @throws MemoryError `CORRUPT` for a path that is no namespace. */
export function readPath(path: string): Namespace {
  try {
    return parseNamespace(path);
  } catch (error) {
    throw isMemoryError(error) ? damaged('A namespace', error) : error;
  }
}
