import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';
import {
  freeName,
  hasEnded,
  heldName,
  holderIn,
  isMissing,
  THIS_PROCESS,
  tryRename,
  UNKNOWN_START,
} from '@keepsake/internal/node';

/*
 * The lock is one empty file in a folder of its own, and its name is its state: `free-<unique>`, or
 * `held-<host>-<pid>-<start>-<unique>`. Acquiring, releasing and taking over are renames. Of many that rename the same name,
 * one succeeds, and no name is used twice.
 */

const PATIENCE_MS = 30_000;
/**
 * Work under the lock takes milliseconds, so a holder of this long is presumed dead if its process can't be checked. A
 * holder that is known to be alive is not, because on resuming it would write outdated decisions.
 */
const ABANDONED_MS = 60_000;
/** A listing can miss a file that is being renamed. */
const MAX_LOOKS = 50;

/**
 * Runs a task under an exclusive lock between processes. The task is synchronous, so that a process never waits for itself.
 *
 * @throws MemoryError `TIMEOUT` if other processes hold the lock for 30 seconds.
 */
export async function underLock<T>(folder: string, task: () => T): Promise<T> {
  const begun = performance.now();
  for (let attempt = 0, looks = 0; ; attempt++) {
    const [name] = namesIn(folder);
    if (name === undefined) {
      if (looks++ > MAX_LOOKS)
        throw new MemoryError('CORRUPT', `The lock is lost. While nobody uses the workspace, delete ${folder}.`);
      create(folder);
    } else if (name.startsWith('free-') || isAbandoned(folder, name)) {
      const held = tryTake(folder, name);
      if (held === undefined) continue;
      try {
        return task();
      } finally {
        tryRename(held, join(folder, freeName()));
      }
    } else if (performance.now() - begun > PATIENCE_MS) {
      throw new MemoryError('TIMEOUT', 'Other processes kept the workspace locked for 30 seconds. Try again.');
    }
    await sleep(Math.min(20, attempt) * Math.random());
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Creates the folder with its file atomically, unless another process is first. */
function create(folder: string): void {
  const making = `${folder}-${randomUUID()}`;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  mkdirSync(making, { mode: 0o700 });
  try {
    writeFileSync(join(making, freeName()), '', { mode: 0o600 });
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'EPERM') throw error;
  }
}

function isAbandoned(folder: string, name: string): boolean {
  const holder = holderIn(name);
  if (holder === undefined) return false;
  if (hasEnded(holder)) return true;
  if (holder.host === THIS_PROCESS.host && holder.start !== UNKNOWN_START) return false;
  const modified = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  return Date.now() - modified > ABANDONED_MS;
}

function tryTake(folder: string, name: string): string | undefined {
  const held = join(folder, heldName());
  if (!tryRename(join(folder, name), held)) return undefined;
  const now = new Date();
  utimesSync(held, now, now);
  return held;
}
