import { lstatSync } from 'node:fs';
import { hasEnded } from '@keepsake/internal/node';
import { listFolder } from '../disk/disk.ts';
import { findLock } from '../disk/file-lock.ts';

/** File systems round times, so a folder that was touched this recently may be touched again under the same time. */
export const RECENT_MS = 100;

/** Whether nobody is changing a folder. */
export function isSettled(folder: string): boolean {
  const lock = findLock(listFolder(folder));
  return lock !== undefined && (lock.holder === undefined || hasEnded(lock.holder));
}

/**
 * When a folder was touched last, in milliseconds since 1970: every change touches it. 0 if its time does not tell whether it
 * is touched again.
 */
export function lastTouch(folder: string): number {
  const now = Date.now();
  const touched = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  return touched !== undefined && isSettled(folder) && now - touched > RECENT_MS ? touched : 0;
}
