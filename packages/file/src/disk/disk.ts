import {
  closeSync,
  constants,
  fdatasync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { MemoryError } from '@keepsake/core';

/** When a write counts as done: on the disk (`sync`), or with the operating system (`os`). */
export type Durability = 'sync' | 'os';

/** How to open a file that is there, and no symbolic link, which might lead out of the directory. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
export const READ = constants.O_RDONLY | NO_LINK;
export const APPEND = constants.O_RDWR | constants.O_APPEND | NO_LINK;

/** A stretch of a file. */
export interface Stretch {
  readonly offset: number;
  readonly end: number;
}

/** Writes all bytes at the file's end, for files opened to append. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Waits until what was written to a file is on the disk. */
export const flush: (file: number) => Promise<void> = promisify(fdatasync);

/** Reads `length` bytes from `offset`, or fewer where the file ends before. */
export function readBytes(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, bytes, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

/** Makes new, renamed and removed names of a folder outlast a power cut. */
export function syncFolder(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, 'r');
  } catch {
    // Windows can't open folders, and needs no flushing of them.
    return;
  }
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The names in a folder; none where it is not there. Refuses to follow a symbolic link. */
export function listFolder(folder: string): string[] {
  refuseLink(folder);
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Throws `CORRUPT` where a symbolic link stands, so that nothing is written elsewhere than in the directory. */
export function refuseLink(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new MemoryError(
    'CORRUPT',
    'A symbolic link stands where Keepsake has a folder of its own. Put the folder itself there; only the directory as a whole may be a link.',
  );
}

/** Renames a file or a folder; false when it is not there. */
export function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Whether an error says that a file or folder is not there. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
