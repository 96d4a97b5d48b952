import { lstatSync } from 'node:fs';
import { hasEnded } from '@keepsake/internal/node';
import { listFolder } from '../disk/disk.ts';
import { findLock } from '../disk/file-lock.ts';

/**
 * Whether a folder that was touched at a time, in milliseconds since 1970, gets another one when it is touched again. File systems
 * round times: to a few milliseconds, and some to one or two seconds.
 */
export function isPast(touched: number, now: number): boolean {
  return now - touched > (touched % 1_000 === 0 ? 2_100 : 100);
}

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
  return touched !== undefined && isSettled(folder) && isPast(touched, now) ? touched : 0;
}
