import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isMemoryError, MemoryError } from '@keepsake/core';
import { conflict } from './conflict.ts';
import { underLock } from './local-lock.ts';
import type { Workspace, WorkspaceFile } from './workspace.ts';
import { checkLine, checkPath } from './workspace-path.ts';

const LOCK_FOLDER = '.keepsake-lock';
const TEMPORARY = /^\..+\.keepsake$/;
/** No symbolic link is followed, whatever somebody puts there in this moment. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/**
 * A workspace in a directory, which is made when something is first written. Several processes of one machine may use
 * it; not for network file systems.
 *
 * The directory itself may be a symbolic link. One inside of it is never followed: to read or write there is `CORRUPT`,
 * and lists leave it out.
 */
export function localDirectory(directory: string): Workspace {
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0')) {
    throw new MemoryError('INVALID_ARGUMENT', 'directory is to be the path of a directory, such as ".agent".');
  }
  const root = realPath(resolve(directory));
  const locked = <T>(task: () => T) =>
    guarded(() => {
      refuseLinks(root, LOCK_FOLDER);
      return underLock(join(root, LOCK_FOLDER), task);
    });
  return {
    id: `directory:${root}`,
    read: (path) => guarded(() => readText(pathIn(root, path))),
    write: (path, text, { ifVersion } = {}) =>
      locked(() => {
        const file = pathIn(root, path);
        if (ifVersion !== undefined && (readText(file)?.version ?? null) !== ifVersion) throw conflict(path);
        mkdirSync(dirname(file), { recursive: true });
        refuseLinks(root, path);
        replace(file, text);
        return versionOf(text);
      }),
    append: async (path, line) => {
      checkLine(line);
      // Under the lock, so that none is lost to a removal that has just looked whether there is anything new.
      const handle = await locked(() => appendLine(root, path, line));
      await guarded(() => flush(handle).finally(() => closeSync(handle)));
    },
    list: (folder) => guarded(() => listBelow(root, folder)),
    delete: (path, { ifVersion } = {}) =>
      locked(() => {
        const file = pathIn(root, path);
        const found = readText(file);
        if (found === undefined) return false;
        if (ifVersion !== undefined && found.version !== ifVersion) throw conflict(path);
        rmSync(file);
        syncFolder(dirname(file));
        removeEmptyFolders(root, path);
        return true;
      }),
  };
}

/** The real path of what need not be there yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) return path;
    return join(realPath(dirname(path)), path.slice(dirname(path).length));
  }
}

function pathIn(root: string, path: string): string {
  checkPath(path);
  if (path.toLowerCase().startsWith(LOCK_FOLDER)) {
    throw new MemoryError(
      'INVALID_ARGUMENT',
      `What begins with ${LOCK_FOLDER} is for Keepsake itself. Choose another path.`,
    );
  }
  refuseLinks(root, path);
  return join(root, path);
}

function refuseLinks(root: string, path: string): void {
  let at = root;
  // The directory itself first: what it is was settled when it was opened.
  for (const name of ['', ...path.split('/')]) {
    at = join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!found.isSymbolicLink()) continue;
    throw new MemoryError('CORRUPT', `A symbolic link stands in the workspace at ${path}. Put the file itself there.`);
  }
}

function readText(file: string): WorkspaceFile | undefined {
  try {
    const text = readFileSync(file, { encoding: 'utf8', flag: constants.O_RDONLY | NO_LINK });
    return { text, version: versionOf(text) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function versionOf(text: string): string {
  return createHash('sha256').update(text.toWellFormed()).digest('hex').slice(0, 32);
}

/** Puts a file in the place of another, so that whoever reads sees one of the two. */
function replace(file: string, text: string): void {
  const temporary = join(dirname(file), `.${randomUUID()}.keepsake`);
  try {
    writeFileSync(temporary, text, { flag: 'wx', flush: true });
    renameSync(temporary, file);
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Gives the file, which is to be flushed and closed. */
function appendLine(root: string, path: string, line: string): number {
  const file = pathIn(root, path);
  mkdirSync(dirname(file), { recursive: true });
  refuseLinks(root, path);
  const handle = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_LINK, 0o666);
  try {
    const bytes = Buffer.from(`${endsTorn(handle) ? '\n' : ''}${line}\n`);
    const written = writeSync(handle, bytes);
    if (written < bytes.length) throw Object.assign(new Error('the write was cut short'), { code: 'ENOSPC' });
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

const flush: (handle: number) => Promise<void> = promisify(fsync);

function endsTorn(handle: number): boolean {
  const last = Buffer.alloc(1);
  const { size } = fstatSync(handle);
  return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

function listBelow(root: string, folder: string): string[] {
  if (folder !== '') checkPath(folder);
  const found: string[] = [];
  const visit = (path: string) => {
    for (const entry of entriesOf(join(root, path))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && below !== LOCK_FOLDER && !below.startsWith(`${LOCK_FOLDER}-`)) visit(below);
      else if (entry.isFile() && !TEMPORARY.test(entry.name)) found.push(below);
    }
  };
  refuseLinks(root, folder);
  visit(folder);
  return found.sort();
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

function removeEmptyFolders(root: string, path: string): void {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      rmdirSync(join(root, folder));
    } catch {
      // It holds other files.
      return;
    }
  }
}

/** Makes new, renamed and removed names outlast a power cut. Windows can't, and needs not. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

async function guarded<T>(task: () => T | Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (isMemoryError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const advice = ADVICE[code ?? ''] ?? 'The file system failed, see the cause. Earlier files are whole.';
    throw new MemoryError('BACKEND', advice, { cause: error });
  }
}

const DENIED = 'The directory of the workspace may not be read or written by this user. Change its permissions.';
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: the change was not made. Free some space and try again.',
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: 'The directory of the workspace is on a file system that can only be read. Choose another.',
  ENOTDIR: 'A part of a path in the workspace is a file. Move it away.',
  EISDIR: 'A folder stands where the workspace has a file. Move it away.',
  ELOOP: 'A symbolic link stands in the workspace. Put the file itself there.',
};
