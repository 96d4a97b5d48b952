import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';
import { hasEnded, THIS_PROCESS, UNKNOWN } from './process-identity.ts';

/*
 * The lock is one empty file in a folder of its own, and its name is its state: `free-<unique>`, or
 * `held-<host>-<pid>-<start>-<unique>`. It is taken, given back and taken over by renaming it. Of many that rename one
 * name, one succeeds, and a name never comes again.
 */

const PATIENCE_MS = 30_000;
/**
 * What is done under the lock takes milliseconds: a holder of so long is gone, where that can't be known otherwise. Of one
 * that is known to be there it is not assumed: when it goes on, it would write what was decided long ago.
 */
const ABANDONED_MS = 60_000;
/** A listing may miss the file in the moment when it gets another name. */
const MAX_LOOKS = 50;

/**
 * Runs a task while no other process runs one under the same lock. The task is synchronous, so that a process never
 * waits for itself.
 *
 * @throws MemoryError `TIMEOUT` when others keep it busy for 30 seconds.
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
        tryRename(held, join(folder, `free-${randomUUID()}`));
      }
    } else if (performance.now() - begun > PATIENCE_MS) {
      throw new MemoryError('TIMEOUT', 'Others kept the workspace busy for 30 seconds. Try again.');
    }
    await sleep(Math.min(20, attempt) * Math.random());
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Makes the folder with its file in it at once, unless another process is first. */
function create(folder: string): void {
  const making = `${folder}-${randomUUID()}`;
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(making);
  try {
    writeFileSync(join(making, `free-${randomUUID()}`), '');
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'EPERM') throw error;
  }
}

function isAbandoned(folder: string, name: string): boolean {
  const [, host, pid, start] = /^held-([0-9a-f]+)-(\d+)-(\d+)-/.exec(name) ?? [];
  if (host === undefined || start === undefined) return false;
  if (hasEnded({ host, pid: Number(pid), start })) return true;
  if (host === THIS_PROCESS.host && start !== UNKNOWN) return false;
  const modified = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  return Date.now() - modified > ABANDONED_MS;
}

function tryTake(folder: string, name: string): string | undefined {
  const { host, pid, start } = THIS_PROCESS;
  const held = join(folder, `held-${host}-${pid}-${start}-${randomUUID()}`);
  if (!tryRename(join(folder, name), held)) return undefined;
  const now = new Date();
  utimesSync(held, now, now);
  return held;
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
