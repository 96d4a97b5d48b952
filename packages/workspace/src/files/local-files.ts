import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MemoryError } from '@keepsake/core';
import { digest, syncFolder } from '@keepsake/internal/node';
import type { WorkspaceFile } from './workspace.ts';
import { checkPath } from './workspace-path.ts';

/* The files of a directory, by their paths in it. Nothing here follows a symbolic link. Changes need the lock. */

/** The folder of the lock, and the beginning of what is reserved. */
export const LOCK_FOLDER = '.keepsake-lock';
const TEMPORARY = /^\..+\.keepsake$/;
/** Never follows a symbolic link, even one created at this moment. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
/** Opening a pipe waits for somebody at its other end, unless told not to. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;
/** Only this user reads what was said. */
const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

export function pathIn(root: string, path: string): string {
  checkPath(path);
  if (path.toLowerCase().startsWith(LOCK_FOLDER)) {
    throw new MemoryError(
      'INVALID_ARGUMENT',
      `Paths that begin with ${LOCK_FOLDER} are reserved. Choose another path.`,
    );
  }
  refuseLinks(root, path);
  return join(root, path);
}

export function refuseLinks(root: string, path: string): void {
  let at = root;
  // Skips the directory itself, which was resolved when it was opened.
  for (const name of ['', ...path.split('/')]) {
    at = join(at, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!stats.isSymbolicLink()) continue;
    throw new MemoryError(
      'CORRUPT',
      `There is a symbolic link in the workspace at ${path}. Replace it with the file itself.`,
    );
  }
}

export function readText(file: string): WorkspaceFile | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | NO_LINK | NO_WAIT);
    refuseSpecial(handle);
    const text = readFileSync(handle, 'utf8');
    return { text, version: versionOf(text) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function refuseSpecial(handle: number): void {
  const stats = fstatSync(handle);
  if (stats.isFile()) return;
  const code = stats.isDirectory() ? 'EISDIR' : 'ENXIO';
  throw Object.assign(new Error('not a file'), { code });
}

export function versionOf(text: string): string {
  return digest(text.toWellFormed(), 32);
}

/** Replaces a file atomically. */
export function replace(file: string, text: string): void {
  const temporary = join(dirname(file), `.${randomUUID()}.keepsake`);
  try {
    // A file keeps the rights that somebody gave it.
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? FILE_MODE) & 0o777;
    writeFileSync(temporary, text, { flag: 'wx', mode, flush: true });
    renameSync(temporary, file);
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Returns the file, which the caller must flush and close. */
export function appendLine(root: string, path: string, line: string): number {
  const file = pathIn(root, path);
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  refuseLinks(root, path);
  const handle = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_LINK, FILE_MODE);
  try {
    refuseSpecial(handle);
    const bytes = Buffer.from(`${endsTorn(handle) ? '\n' : ''}${line}\n`);
    const written = writeSync(handle, bytes);
    if (written < bytes.length) throw Object.assign(new Error('the write was cut short'), { code: 'ENOSPC' });
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

function endsTorn(handle: number): boolean {
  const last = Buffer.alloc(1);
  const { size } = fstatSync(handle);
  return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

export function listBelow(root: string, folder: string): string[] {
  if (folder !== '') checkPath(folder);
  return filesBelow(root, folder).filter((path) => !TEMPORARY.test(basename(path)));
}

/** All files, also the temporary ones. */
export function filesBelow(root: string, folder: string): string[] {
  const paths: string[] = [];
  const visit = (path: string) => {
    for (const entry of entriesOf(join(root, path))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && below !== LOCK_FOLDER && !below.startsWith(`${LOCK_FOLDER}-`)) visit(below);
      else if (entry.isFile()) paths.push(below);
    }
  };
  refuseLinks(root, folder);
  visit(folder);
  return paths.sort();
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

export function removeEmptyFolders(root: string, path: string): void {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      rmdirSync(join(root, folder));
    } catch {
      // The folder contains other files.
      return;
    }
  }
}
