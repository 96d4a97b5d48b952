import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsync,
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
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isMemoryError, MemoryError } from '@keepsake/core';
import { expectKnownFields } from '@keepsake/core/adapter';
import { digest, syncFolder } from '@keepsake/internal/node';
import { conflict } from './conflict.ts';
import { underLock } from './local-lock.ts';
import { type Workspace, type WorkspaceFile, WRITE_OPTIONS } from './workspace.ts';
import { checkLine, checkPath } from './workspace-path.ts';

const LOCK_FOLDER = '.keepsake-lock';
const TEMPORARY = /^\..+\.keepsake$/;
/** Never follows a symbolic link, even one created at this moment. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
/** Opening a pipe waits for somebody at its other end, unless told not to. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;
/** Only this user reads what was said. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * A workspace in a directory, created by the first write. Many processes of one machine can use it. Not for network file
 * systems. New files and folders are for this user only (0600 and 0700); files keep the rights that you give them.
 *
 * The directory itself may be a symbolic link. Links inside it are never followed: reading or writing one throws `CORRUPT`,
 * and lists skip it.
 */
export function localDirectory(directory: string): Workspace {
  if (typeof directory !== 'string' || directory === '' || directory.includes('\0')) {
    throw new MemoryError('INVALID_ARGUMENT', 'directory must be the path of a directory, such as ".agent".');
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
    write: async (path, text, options = {}) => {
      expectKnownFields(options, WRITE_OPTIONS);
      const { ifVersion } = options;
      return locked(() => {
        const file = pathIn(root, path);
        if (ifVersion !== undefined && (readText(file)?.version ?? null) !== ifVersion) throw conflict(path);
        mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
        refuseLinks(root, path);
        replace(file, text);
        return versionOf(text);
      });
    },
    append: async (path, line) => {
      checkLine(line);
      // Under the lock, so that a concurrent removal can't lose the line.
      const handle = await locked(() => appendLine(root, path, line));
      await guarded(() => flush(handle).finally(() => closeSync(handle)));
    },
    list: (folder) => guarded(() => listBelow(root, folder)),
    marks: (folder) =>
      guarded(() => {
        const marks = new Map<string, string>();
        for (const path of listBelow(root, folder)) {
          const found = lstatSync(join(root, path), { throwIfNoEntry: false });
          if (found !== undefined) marks.set(path, `${found.size} ${found.mtimeMs} ${found.ino}`);
        }
        return marks;
      }),
    delete: async (path, options = {}) => {
      expectKnownFields(options, WRITE_OPTIONS);
      const { ifVersion } = options;
      return locked(() => {
        const file = pathIn(root, path);
        const found = readText(file);
        if (found === undefined) return false;
        if (ifVersion !== undefined && found.version !== ifVersion) throw conflict(path);
        rmSync(file);
        syncFolder(dirname(file));
        removeEmptyFolders(root, path);
        return true;
      });
    },
    clear: async () => {
      // The lock would create the directory.
      if (!existsSync(root)) return;
      await locked(() => {
        // Temporary files belong to killed processes, because they are written under the lock.
        for (const path of filesBelow(root, '')) {
          rmSync(join(root, path));
          syncFolder(dirname(join(root, path)));
          removeEmptyFolders(root, path);
        }
      });
    },
  };
}

/** The real path of a file that may not exist yet. */
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
      `Paths that begin with ${LOCK_FOLDER} are reserved. Choose another path.`,
    );
  }
  refuseLinks(root, path);
  return join(root, path);
}

function refuseLinks(root: string, path: string): void {
  let at = root;
  // Skips the directory itself, which was resolved when it was opened.
  for (const name of ['', ...path.split('/')]) {
    at = join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (!found.isSymbolicLink()) continue;
    throw new MemoryError(
      'CORRUPT',
      `There is a symbolic link in the workspace at ${path}. Replace it with the file itself.`,
    );
  }
}

function readText(file: string): WorkspaceFile | undefined {
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
  const found = fstatSync(handle);
  if (found.isFile()) return;
  const code = found.isDirectory() ? 'EISDIR' : 'ENXIO';
  throw Object.assign(new Error('not a file'), { code });
}

function versionOf(text: string): string {
  return digest(text.toWellFormed(), 32);
}

/** Replaces a file atomically. */
function replace(file: string, text: string): void {
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
function appendLine(root: string, path: string, line: string): number {
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

const flush: (handle: number) => Promise<void> = promisify(fsync);

function endsTorn(handle: number): boolean {
  const last = Buffer.alloc(1);
  const { size } = fstatSync(handle);
  return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

function listBelow(root: string, folder: string): string[] {
  if (folder !== '') checkPath(folder);
  return filesBelow(root, folder).filter((path) => !TEMPORARY.test(basename(path)));
}

/** All files, also the temporary ones. */
function filesBelow(root: string, folder: string): string[] {
  const found: string[] = [];
  const visit = (path: string) => {
    for (const entry of entriesOf(join(root, path))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && below !== LOCK_FOLDER && !below.startsWith(`${LOCK_FOLDER}-`)) visit(below);
      else if (entry.isFile()) found.push(below);
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
      // The folder contains other files.
      return;
    }
  }
}

async function guarded<T>(task: () => T | Promise<T>): Promise<T> {
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
