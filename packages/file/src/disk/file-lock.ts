import { existsSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';
import { freeName, hasEnded, heldName, holderIn, type ProcessIdentity, tryRename } from '@keepsake/internal/node';
import { listFolder, refuseLink, refuseLinksAbove } from './disk.ts';

/*
 * The lock of a folder is one file, and its name is its state. What it holds is a copy of the log's header, see log-header.ts.
 *
 *   lock-<generation>-free-<random>
 *   lock-<generation>-held-<host>-<pid>-<start of the process>-<random>
 *
 * Acquiring, releasing and taking over are renames. A rename is atomic and fails if the old name is gone, so one of many
 * contenders succeeds, and one with an outdated view fails; a name is never used again. A takeover raises the generation,
 * a fencing token in every line of a log: it tells the lines that a holder wrote after it was presumed dead from those of
 * its successor.
 */

/** A holder without a heartbeat for this long is presumed dead. */
const STALE_MS = 5_000;
/** The interval of heartbeats while a holder keeps the lock. */
const HEARTBEAT_MS = 1_000;
/** The maximum wait for a lock whose holder is alive. */
const PATIENCE_MS = 30_000;

/** How often to look for the lock of a folder: a listing can miss a file that is being renamed. */
const MAX_LOOKS = 30;

/** A lock that this process holds. */
export interface HeldLock {
  /** The name of its file while held. */
  readonly name: string;
  /** The fencing token. Every takeover raises it. */
  readonly generation: number;
  /** Whether nobody else has held it since it had the name `lastName`. */
  readonly isUntouched: boolean;
  /** Whether nobody has taken it over. */
  isHeld(): boolean;
  /**
   * Releases the lock and returns its new name. Never fails: a lock that can't be released is taken over after a while.
   */
  release(): string | undefined;
}

/**
 * Acquires the lock of a folder, waiting if necessary. Returns `undefined` if the folder does not exist or is empty. Takes
 * over at once from a holder that died on this machine, and after 5 seconds from one without a heartbeat.
 *
 * @param lastName - The name after the caller's last release. If the lock still has it, acquiring is fastest.
 * @throws MemoryError `TIMEOUT` if others keep the lock for 30 seconds, `CORRUPT` if the folder has no lock.
 */
export async function lockFolder(folder: string, lastName?: string): Promise<HeldLock | undefined> {
  refuseLinksAbove(folder);
  const last = lastName === undefined ? undefined : findLock([lastName]);
  if (last !== undefined) {
    refuseLink(folder);
    const held = tryTake(folder, last, { takenOver: false, isUntouched: true });
    if (held) return held;
  }
  return waitForLock(folder);
}

async function waitForLock(folder: string): Promise<HeldLock | undefined> {
  const start = performance.now();
  let seen: Sighting | undefined;
  let looks = 0;
  for (let attempt = 0; ; attempt++) {
    const names = listFolder(folder);
    if (names.length === 0) return undefined;
    const lock = findLock(names);
    if (lock === undefined) {
      looks++;
      if (looks === MAX_LOOKS) throw new MemoryError('CORRUPT', NO_LOCK);
      await sleep(looks);
      continue;
    }
    const { holder } = lock;
    if (holder !== undefined) seen = look(folder, lock, seen);
    const isGone = holder !== undefined && (hasEnded(holder) || (seen?.forMs ?? 0) > STALE_MS);
    if (holder === undefined || isGone) {
      const hasOthers = names.some((name) => name !== lock.name && isLock(name));
      // Holders of the other locks are fenced off, as by a takeover.
      const held = tryTake(folder, lock, { takenOver: isGone || hasOthers, isUntouched: false });
      if (held === undefined) continue;
      if (hasOthers) removeOthers(folder, held);
      return held;
    }
    if (performance.now() - start > PATIENCE_MS) {
      throw new MemoryError(
        'TIMEOUT',
        'Other processes kept this file locked for 30 seconds. Try again, or use a backend for many writers.',
      );
    }
    await sleep(Math.min(50, 2 ** attempt) * (0.5 + Math.random()));
  }
}

/**
 * Removes all locks but one, if a restored copy of the folder brought more. Their holders notice: those that wrote before
 * this find their lines in the log, and those that write after it check what became of them.
 */
function removeOthers(folder: string, held: HeldLock): void {
  for (;;) {
    const others = listFolder(folder).filter((name) => isLock(name) && name !== held.name);
    if (others.length === 0) return;
    for (const name of others) rmSync(join(folder, name), { force: true });
  }
}

const NO_LOCK =
  'A folder has lost its lock. Restore the folder from a backup. Or, while nobody uses it, create an empty file named lock-N-free in it, where N is one more than the first number in the name of its log.';

export interface Lock {
  readonly name: string;
  readonly generation: number;
  /** Missing while the lock is free. */
  readonly holder: ProcessIdentity | undefined;
}

function isLock(name: string): boolean {
  return LOCK.test(name);
}

const LOCK = /^lock-(\d+)-(?:free(?:-[0-9a-f]+)?|held-[0-9a-f]+-\d+-\d+-[0-9a-f]+)$/;

/** A name for a free lock. */
export function freeLock(generation: number): string {
  return `lock-${generation}-${freeName()}`;
}

/** The lock among the names in a folder. If a restored copy brought more, all processes agree on the one that counts. */
export function findLock(names: readonly string[]): Lock | undefined {
  const [lock] = names
    .flatMap((name) => {
      const match = LOCK.exec(name);
      return match === null ? [] : [{ name, generation: Number(match[1]), holder: holderIn(name) }];
    })
    // `held` comes after `free`.
    .sort((a, b) => b.generation - a.generation || (a.name < b.name ? 1 : -1));
  return lock;
}

function tryTake(
  folder: string,
  lock: Lock,
  { takenOver, isUntouched }: { readonly takenOver: boolean; readonly isUntouched: boolean },
): HeldLock | undefined {
  const generation = takenOver ? lock.generation + 1 : lock.generation;
  const ownName = `lock-${generation}-${heldName()}`;
  const own = join(folder, ownName);
  if (!tryRename(join(folder, lock.name), own)) return undefined;
  const heartbeat = setInterval(() => touch(own), HEARTBEAT_MS).unref();
  return {
    name: ownName,
    generation,
    isUntouched,
    isHeld: () => existsSync(own),
    release() {
      clearInterval(heartbeat);
      const name = freeLock(generation);
      try {
        return tryRename(own, join(folder, name)) ? name : undefined;
      } catch {
        // The work is done, whatever becomes of the lock.
        return undefined;
      }
    },
  };
}

/**
 * For how long this process has seen a lock unchanged, by its own clock: those of other machines may differ. Time in which
 * this process was suspended does not count, because the holder may have been suspended too, as when a laptop sleeps.
 */
interface Sighting {
  readonly state: string;
  readonly at: number;
  readonly forMs: number;
}

function look(folder: string, lock: Lock, before: Sighting | undefined): Sighting {
  const modified = statSync(join(folder, lock.name), { throwIfNoEntry: false })?.mtimeMs;
  const state = `${lock.name} ${modified}`;
  const at = performance.now();
  const forMs = before?.state === state ? before.forMs + Math.min(at - before.at, HEARTBEAT_MS) : 0;
  return { state, at, forMs };
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Taken over: isHeld() reports it.
  }
}
