import { closeSync, existsSync, fsync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isMemoryError, MemoryError } from '@keepsake/core';
import { expectKnownFields } from '@keepsake/core/adapter';
import { syncFolder } from '@keepsake/internal/node';
import { conflict } from './conflict.ts';
import {
  appendLine,
  FOLDER_MODE,
  filesBelow,
  LOCK_FOLDER,
  listBelow,
  pathIn,
  readText,
  refuseLinks,
  removeEmptyFolders,
  replace,
  versionOf,
} from './local-files.ts';
import { underLock } from './local-lock.ts';
import { type Workspace, WRITE_OPTIONS } from './workspace.ts';
import { checkLine } from './workspace-path.ts';

const flush: (handle: number) => Promise<void> = promisify(fsync);

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
    withAdvice(() => {
      refuseLinks(root, LOCK_FOLDER);
      return underLock(join(root, LOCK_FOLDER), task);
    });
  return {
    id: `directory:${root}`,
    read: (path) => withAdvice(() => readText(pathIn(root, path))),
    write: async (path, text, options = {}) => {
      const { ifVersion } = expectKnownFields(options, WRITE_OPTIONS);
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
      await withAdvice(() => flush(handle).finally(() => closeSync(handle)));
    },
    list: (folder) => withAdvice(() => listBelow(root, folder)),
    marks: (folder) =>
      withAdvice(() => {
        const marks = new Map<string, string>();
        for (const path of listBelow(root, folder)) {
          const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
          if (stats !== undefined) marks.set(path, `${stats.size} ${stats.mtimeMs} ${stats.ino}`);
        }
        return marks;
      }),
    delete: async (path, options = {}) => {
      const { ifVersion } = expectKnownFields(options, WRITE_OPTIONS);
      return locked(() => {
        const file = pathIn(root, path);
        const storedFile = readText(file);
        if (storedFile === undefined) return false;
        if (ifVersion !== undefined && storedFile.version !== ifVersion) throw conflict(path);
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

/** Runs a task. Failures of the file system become `BACKEND`, with advice and the failure as the cause. */
async function withAdvice<T>(task: () => T | Promise<T>): Promise<T> {
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
