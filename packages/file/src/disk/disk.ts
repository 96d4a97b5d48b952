import {
  close,
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { MemoryError } from '@keepsake/core';
import { isMissing } from '@keepsake/internal/node';
import { parentOf } from './file-names.ts';

/** When a write is acknowledged: once it is on the disk (`sync`), or once the operating system has it (`os`). */
export type Durability = 'sync' | 'os';

/** Opens an existing file and no symbolic link, which might lead out of the directory. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
/** Opening a pipe waits for somebody at its other end, unless told not to. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;
export const READ = constants.O_RDONLY | NO_LINK | NO_WAIT;
export const APPEND = constants.O_RDWR | constants.O_APPEND | NO_LINK | NO_WAIT;

/** Opens an existing file to write into it. */
export const UPDATE = constants.O_RDWR | NO_LINK | NO_WAIT;
/** Creates a file, or opens it to add to its end. */
export const ADD = APPEND | constants.O_CREAT;

/** Creates a file, or empties it. */
export const REPLACE = ADD | constants.O_TRUNC;

/** Opens a file. Throws `CORRUPT` for a pipe, a socket, a device or a folder in its place. */
export function openFile(path: string, flags: number, mode?: number): number {
  let file: number | undefined;
  let isFile = false;
  try {
    file = openSync(path, flags, mode);
    isFile = fstatSync(file).isFile();
    if (isFile) return file;
  } catch (error) {
    // A socket, and a folder that is opened for writing.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENXIO' && code !== 'EISDIR') throw error;
  } finally {
    if (file !== undefined && !isFile) closeSync(file);
  }
  throw new MemoryError(
    'CORRUPT',
    'There is a pipe, a socket, a device or a folder in the place of a file of Keepsake. Restore the file from a backup.',
  );
}

/** A range of bytes in a file. */
export interface Stretch {
  readonly offset: number;
  readonly end: number;
}

/** How to write: when a change is acknowledged, and who may read and write new files, as permission bits. */
export interface WriteOptions {
  readonly durability: Durability;
  readonly fileMode: number;
}

/** The permission bits of a folder for files with these: whoever may read them may open it. */
export function folderMode(fileMode: number): number {
  return fileMode | ((fileMode & 0o444) >> 2);
}

/** The permission bits of new files in a folder. They follow the folder, so that they need no option. */
export function fileModeIn(folder: string): number {
  return statSync(folder).mode & 0o666;
}

/**
 * Closes a file on another thread. If it was removed or replaced meanwhile, this frees its space, which takes 0.1 s for a few
 * hundred megabytes, and nobody needs to wait for it.
 */
export function closeInBackground(file: number): void {
  close(file, () => {});
}

/** Removes a file, if it exists, without waiting until its space is free: see {@link closeInBackground}. */
export function removeFile(path: string): void {
  let file: number | undefined;
  try {
    file = openSync(path, READ);
  } catch {
    // It is gone, or something else is in its place.
  }
  rmSync(path, { force: true });
  if (file !== undefined) closeInBackground(file);
}

/** Writes all bytes at the end of a file opened for appending. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Waits until all writes to a file are on the disk. */
export const syncData: (file: number) => Promise<void> = promisify(fdatasync);

/** Reads `length` bytes from `offset`, or fewer if the file ends before that. */
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

/** The names in a folder, or none if it does not exist. Refuses to follow a symbolic link. */
export function listFolder(folder: string): string[] {
  refuseLink(folder);
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** See {@link refuseLink}, for the folders between the directory and that of a session or namespace. */
export function refuseLinksAbove(folder: string): void {
  refuseLink(parentOf(folder));
  refuseLink(dirname(folder));
}

/** Throws `CORRUPT` for a symbolic link, so that nothing is written outside the directory. */
export function refuseLink(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new MemoryError(
    'CORRUPT',
    'There is a symbolic link instead of a folder that belongs to Keepsake. Replace it with the folder itself; only the whole directory may be a link.',
  );
}
