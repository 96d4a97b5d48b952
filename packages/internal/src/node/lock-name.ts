import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { type ProcessIdentity, THIS_PROCESS } from './process-identity.ts';

/*
 * A lock is one empty file whose name is its state. It is taken, given back and taken over by renaming it: a rename is
 * atomic and fails if the old name is gone, so of many that try, one succeeds. No name is ever used again, so one that acts
 * on what it saw long ago fails too. What surrounds these parts of a name, and when a lock counts as abandoned, is up to
 * the lock.
 */

/** The part of a name that says that this process holds the lock. */
export function heldName(): string {
  const { host, pid, start } = THIS_PROCESS;
  return `held-${host}-${pid}-${start}-${unique()}`;
}

/** The part of a name that says that the lock is free. */
export function freeName(): string {
  return `free-${unique()}`;
}

/** The process that holds the lock with this name, or `undefined` if it is free. */
export function holderIn(name: string): ProcessIdentity | undefined {
  const [, host, pid, start] = /(?:^|-)held-([0-9a-f]+)-(\d+)-(\d+)-/.exec(name) ?? [];
  return host === undefined || start === undefined ? undefined : { host, pid: Number(pid), start };
}

/** Renames a file or a folder. Returns `false` if it does not exist. */
export function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Whether an error says that a file or a folder does not exist. */
export function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

const UNIQUE = randomBytes(8).toString('hex');
let uniqueCount = 0;

/** Hex digits that only one thread of one process gets, and only once. */
function unique(): string {
  return `${UNIQUE}${(uniqueCount++).toString(16)}`;
}
