import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isMemoryError, MemoryError } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import { syncFolder, tryRename } from '@keepsake/internal/node';
import { folderMode } from '../disk/disk.ts';
import { asMemoryError } from '../disk/file-errors.ts';
import { memoryFolder, sessionsFolder, temporaryName } from '../disk/file-names.ts';
import { checkFileOptions } from '../file-options.ts';
import { allPaths } from '../listing/folder-names.ts';
import { copyFolder } from './copy-folder.ts';

/** What to copy, and where to. */
export interface BackupOptions {
  /** The directory of the sessions and stores. */
  readonly directory: string;
  /** The directory to create. Its parent folders are created too. */
  readonly target: string;
}

/** What was copied. */
export interface BackupReport {
  readonly sessions: number;
  readonly namespaces: number;
  /** The size of the logs. */
  readonly bytes: number;
  /** Folders that can't be copied, such as one without its log. `checkDirectory` tells what is wrong with them. */
  readonly skipped: readonly string[];
}

const OPTIONS: FieldNames<BackupOptions> = { directory: true, target: true };

/** How many folders are copied at a time, because each waits for the disk. */
const LANES = 8;

/**
 * Copies a directory that other processes may be using to a new directory.
 *
 * Every change that was acknowledged before the call is in the copy, and no change is there in part. Each session and namespace
 * is as it was at some time during the call. Nobody waits for the backup. The copy is on the disk when the call resolves; after a
 * failure, there is no target.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options or without the directory, `CONFLICT` if the target exists, `BACKEND`
 *   if the disk fails.
 */
export async function backup(options: BackupOptions): Promise<BackupReport> {
  const { directory, target } = checkOptions(options);
  return asMemoryError(copyDirectory(directory, target));
}

function checkOptions(options: BackupOptions): BackupOptions {
  const fields = expectKnownFields(options, OPTIONS);
  const { directory } = checkFileOptions(fields);
  const isPath = typeof fields.target === 'string' && fields.target.trim() !== '' && !fields.target.includes('\0');
  expect(isPath, '`target` must be the path of a new directory.');
  return { directory, target: resolve(fields.target) };
}

async function copyDirectory(directory: string, target: string): Promise<BackupReport> {
  const source = statSync(directory, { throwIfNoEntry: false });
  expect(source?.isDirectory() === true, 'There is no such `directory` to back up.');
  if (statSync(target, { throwIfNoEntry: false }) !== undefined) throw targetExists();
  mkdirSync(dirname(target), { recursive: true, mode: folderMode(0o600) });
  // A directory with the name of the target is always complete.
  const making = join(dirname(target), temporaryName());
  const mode = source.mode & 0o777;
  try {
    mkdirSync(making, { mode });
    const sessions = await copyAll(sessionsFolder(directory), sessionsFolder(making), mode);
    const namespaces = await copyAll(memoryFolder(directory), memoryFolder(making), mode);
    syncFolder(making);
    if (!tryRename(making, target)) throw targetExists();
    syncFolder(dirname(target));
    return {
      sessions: sessions.folders,
      namespaces: namespaces.folders,
      bytes: sessions.bytes + namespaces.bytes,
      skipped: [...sessions.skipped, ...namespaces.skipped],
    };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function targetExists(): MemoryError {
  return new MemoryError('CONFLICT', 'A backup needs a new `target`, and this one exists. Choose another path.');
}

interface Copied {
  folders: number;
  bytes: number;
  readonly skipped: string[];
}

async function copyAll(from: string, to: string, mode: number): Promise<Copied> {
  mkdirSync(to, { mode });
  const copied: Copied = { folders: 0, bytes: 0, skipped: [] };
  const paths = allPaths(from, (group, error) => skip(join(from, group), copied, error)).map((path) =>
    relative(from, path),
  );
  const groups = new Set(paths.map(dirname).filter((group) => group !== '.'));
  for (const group of groups) mkdirSync(join(to, group), { mode });
  const lane = async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      await copyOne(join(from, path), join(to, path), copied);
    }
  };
  // Waits for all lanes, because the directory is removed after a failure.
  const ends = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  for (const group of groups) syncFolder(join(to, group));
  syncFolder(to);
  return copied;
}

async function copyOne(from: string, to: string, copied: Copied): Promise<void> {
  try {
    const bytes = await copyFolder(from, to);
    // It was removed in the meantime.
    if (bytes === undefined) return;
    copied.folders++;
    copied.bytes += bytes;
  } catch (error) {
    skip(from, copied, error);
    rmSync(to, { recursive: true, force: true });
  }
}

function skip(folder: string, { skipped }: Copied, error: unknown): void {
  // A file in the place of a folder has nothing to copy.
  const isFile = (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  if (!isFile && !isMemoryError(error, 'CORRUPT')) throw error;
  skipped.push(folder);
}
