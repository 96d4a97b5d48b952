import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '@keepsake/internal/node';
import { folderMode, listFolder, refuseLink, type WriteOptions } from './disk.ts';
import { DISCARDED, MAKING, scratchFolder, scratchName } from './file-names.ts';

/*
 * Folders are created and removed in a scratch folder beside them, so that a folder with its final name is always complete.
 */

/** Longer than creating a folder ever takes. */
const ABANDONED_MS = 60 * 60 * 1000;

/** A scratch path for something that is later renamed into `parent`. */
export function makingPath(parent: string, { durability, fileMode }: WriteOptions): string {
  const scratch = scratchFolder(parent);
  refuseLink(scratch);
  const made = mkdirSync(scratch, { recursive: true, mode: folderMode(fileMode) });
  if (made !== undefined && durability === 'sync') {
    for (let folder = scratch; folder.length >= made.length; folder = dirname(folder)) syncFolder(dirname(folder));
  }
  return join(scratch, scratchName(MAKING));
}

/** A scratch path for something that is removed from `parent`. */
export function discardedPath(parent: string): string {
  const scratch = scratchFolder(parent);
  refuseLink(scratch);
  mkdirSync(scratch, { recursive: true, mode: statSync(parent).mode & 0o777 });
  return join(scratch, scratchName(DISCARDED));
}

/** Removes everything that was moved to {@link discardedPath}, and folders that a crash left incomplete. */
export function removeDiscarded(parent: string): void {
  const scratch = scratchFolder(parent);
  for (const name of listFolder(scratch)) {
    const path = join(scratch, name);
    const abandoned = () =>
      Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > ABANDONED_MS;
    if (name.startsWith(DISCARDED) || abandoned()) rmSync(path, { recursive: true, force: true });
  }
}
