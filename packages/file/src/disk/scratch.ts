import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Durability, listFolder, refuseLink, syncFolder } from './disk.ts';
import { DISCARDED, MAKING, scratchFolder, scratchName } from './file-names.ts';

/*
 * Folders are made and removed in a folder beside them, so that what has a name of its own is always whole.
 */

/** Nobody takes so long to make a folder. */
const ABANDONED_MS = 60 * 60 * 1000;

/** Where to make what gets a name in `parent` later. */
export function makingPath(parent: string, durability: Durability): string {
  const scratch = scratchFolder(parent);
  refuseLink(scratch);
  const made = mkdirSync(scratch, { recursive: true });
  if (made !== undefined && durability === 'sync') {
    for (let folder = scratch; folder.length >= made.length; folder = dirname(folder)) syncFolder(dirname(folder));
  }
  return join(scratch, scratchName(MAKING));
}

/** Where to move what is to be removed from `parent`. */
export function discardedPath(parent: string): string {
  const scratch = scratchFolder(parent);
  refuseLink(scratch);
  mkdirSync(scratch, { recursive: true });
  return join(scratch, scratchName(DISCARDED));
}

/** Removes what was moved to {@link discardedPath} by whomever, and what a crash left of a folder in the making. */
export function removeDiscarded(parent: string): void {
  const scratch = scratchFolder(parent);
  for (const name of listFolder(scratch)) {
    const path = join(scratch, name);
    const abandoned = () =>
      Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > ABANDONED_MS;
    if (name.startsWith(DISCARDED) || abandoned()) rmSync(path, { recursive: true, force: true });
  }
}
