import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder, tryRename } from '@keepsake/internal/node';
import { folderMode, listFolder, removeFile, type WriteOptions } from '../disk/disk.ts';
import { freeLock, type HeldLock } from '../disk/file-lock.ts';
import { findLogs, indexedLog, isTemporary, type LogName, newLogName, parentOf } from '../disk/file-names.ts';
import { makingPath } from '../disk/scratch.ts';
import { addSaved } from '../listing/saved-group.ts';
import type { LogHeader } from './log-reader.ts';

/** Creates the folder of a log with only its header in it, unless another process is first. */
export function createFolder(path: string, { of }: LogHeader, header: string, options: WriteOptions): void {
  const { durability, fileMode: mode } = options;
  const group = dirname(path);
  const folder = makingPath(parentOf(path), options);
  try {
    mkdirSync(folder, { mode: folderMode(mode) });
    // A copy of the header, in case that of the log is damaged.
    writeFileSync(join(folder, freeLock(1)), header, { mode });
    writeFileSync(join(folder, newLogName(1, 1)), header, { mode, flush: durability === 'sync' });
    if (durability === 'sync') syncFolder(folder);
    const isNew = mkdirSync(group, { recursive: true, mode: folderMode(mode) }) !== undefined;
    if (isNew && durability === 'sync') syncFolder(dirname(group));
    // Fails if another process was first, because its folder is not empty.
    renameSync(folder, path);
    if (durability === 'sync') syncFolder(group);
    addSaved(path, of);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    // It may have been removed again.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && listFolder(path).length === 0) throw error;
  }
}

/**
 * Renames the log to the lock's generation, so that a process that lost the lock can't replace it, and removes what a crash
 * left behind. Returns the log's name, or `undefined` if it does not exist or is being renamed.
 */
export function tidyFolder(folder: string, lock: HeldLock): LogName | undefined {
  const names = listFolder(folder);
  const [current, ...old] = findLogs(names);
  const indexes = names.filter((name) => current && (indexedLog(name) ?? current.number) !== current.number);
  for (const name of [...names.filter(isTemporary), ...old.map((log) => log.name), ...indexes]) {
    removeFile(join(folder, name));
  }
  if (current === undefined || current.generation >= lock.generation) return current;
  const name = newLogName(lock.generation, current.number);
  if (tryRename(join(folder, current.name), join(folder, name))) {
    return { ...current, name, generation: lock.generation };
  }
  // A process that lost the lock is doing the same.
  return tidyFolder(folder, lock);
}
