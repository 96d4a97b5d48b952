import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';
import { listFolder, refuseLink, tryRename } from './disk.ts';

/*
 * The lock of a folder is one empty file, and its name is its state:
 *
 *   lock-<generation>-free-<random>
 *   lock-<generation>-held-<host>-<pid>-<start of the process>-<random>
 *
 * It is taken, given back and taken over by renaming it. A rename is atomic and fails when the old name is gone, so of
 * many that try, one succeeds, and one that acts on what it saw long ago fails; a name never comes again. A takeover raises the generation, which
 * the lines of a log carry: so what a holder writes after it was taken for dead is told from what its successor wrote.
 */

/** How long a holder may give no sign of life before it is taken for dead. */
const STALE_MS = 5_000;
/** How often a holder gives one, while it holds the lock for long. */
const HEARTBEAT_MS = 1_000;
/** How long to wait for the lock while its holder is alive. */
const PATIENCE_MS = 30_000;

/** How often to look for the lock of a folder: a listing may miss it in the moment when it gets another name. */
const MAX_LOOKS = 30;

/** A lock that is held. */
export interface HeldLock {
  /** The name of its file while it is held. */
  readonly name: string;
  /** Raised by every takeover. */
  readonly generation: number;
  /** Whether nobody else has held it since it had the name that was handed in. */
  readonly isUntouched: boolean;
  /** Whether nobody has taken it over meanwhile. */
  isHeld(): boolean;
  /**
   * Gives it back, and says what its name is then. Never fails: a lock that can't be given back is taken over after a
   * while.
   */
  release(): string | undefined;
}

/**
 * Takes the lock of a folder, waiting for it where need be; `undefined` when the folder is not there, or empty.
 *
 * @param lastName - The name that it had when the caller gave it back: if it still has, that is the quickest.
 *
 * A holder that has died on this machine is taken over at once, one that gives no sign of life after 5 seconds.
 *
 * @throws MemoryError `TIMEOUT` when others keep it busy for 30 seconds; `CORRUPT` when the folder has no lock.
 */
export async function lockFolder(folder: string, lastName?: string): Promise<HeldLock | undefined> {
  refuseLink(dirname(folder));
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
    const isGone = holder !== undefined && (isDead(holder) || (seen?.forMs ?? 0) > STALE_MS);
    if (holder === undefined || isGone) {
      const hasOthers = names.some((name) => name !== lock.name && isLock(name));
      // Whoever holds one of the others is fenced off, as if they had been taken over.
      const held = tryTake(folder, lock, { takenOver: isGone || hasOthers, isUntouched: false });
      if (held === undefined) continue;
      if (hasOthers) removeOthers(folder, held);
      return held;
    }
    if (performance.now() - start > PATIENCE_MS) {
      throw new MemoryError(
        'TIMEOUT',
        'Others kept this file busy for 30 seconds. Try again, or use a backend that many can share.',
      );
    }
    await sleep(Math.min(50, 2 ** attempt) * (0.5 + Math.random()));
  }
}

/**
 * Makes a lock the only one, where a restored copy brought others. Those who hold them see that they are gone: before, and
 * what they wrote is there to be read; or after, and they look what has become of it.
 */
function removeOthers(folder: string, held: HeldLock): void {
  for (;;) {
    const others = listFolder(folder).filter((name) => isLock(name) && name !== held.name);
    if (others.length === 0) return;
    for (const name of others) rmSync(join(folder, name), { force: true });
  }
}

const NO_LOCK =
  'A folder has lost its lock. Restore the folder from a backup; or, while nobody uses it, put an empty file there that is named lock-N-free, where N is one more than the first number in the name of its log.';

export interface Lock {
  readonly name: string;
  readonly generation: number;
  /** Missing while it is free. */
  readonly holder: { readonly host: string; readonly pid: number; readonly start: string } | undefined;
}

function isLock(name: string): boolean {
  return LOCK.test(name);
}

const LOCK = /^lock-(\d+)-(?:free(?:-[0-9a-f]+)?|held-([0-9a-f]+)-(\d+)-(\d+)-[0-9a-f]+)$/;

/** A name for a lock that is free. */
export function freeLock(generation: number): string {
  return `lock-${generation}-free-${unique()}`;
}

/** The lock among the names in a folder. Where a restored copy brought others, all agree on the one that counts. */
export function findLock(names: readonly string[]): Lock | undefined {
  const [lock] = names
    .flatMap((name) => {
      const match = LOCK.exec(name);
      if (match === null) return [];
      const [, generation, host, pid, start] = match;
      const holder = host === undefined ? undefined : { host, pid: Number(pid), start: String(start) };
      return [{ name, generation: Number(generation), holder }];
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
  const ownName = `lock-${generation}-held-${HOST}-${process.pid}-${OWN_START}-${unique()}`;
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
        // What was done is done.
        return undefined;
      }
    },
  };
}

/**
 * For how long a lock was seen as it is now, by this process's own clock: those of other machines may differ. Time in
 * which this process stood still does not count: the holder may have stood still with it, as when a laptop sleeps.
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

function isDead({ host, pid, start }: NonNullable<Lock['holder']>): boolean {
  if (host !== HOST) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not ESRCH: it lives, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = lookUp(pid);
  // A process that was killed stays as a zombie until its parent asks for it, which some never do.
  return now.state === 'Z' || (start !== UNKNOWN_START && now.start !== UNKNOWN_START && now.start !== start);
}

const UNIQUE = randomBytes(8).toString('hex');
let given = 0;

/** Hex digits that are given once, by one thread of one process. */
function unique(): string {
  return `${UNIQUE}${(given++).toString(16)}`;
}

const UNKNOWN_START = '0';

/**
 * The state of a process, and when it started, in ticks since boot, which tells it from a later one of the same pid.
 * Known on Linux alone.
 */
function lookUp(pid: number): { readonly state?: string | undefined; readonly start: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in parentheses and may hold spaces: count after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], start: fields[19] ?? UNKNOWN_START };
  } catch {
    return { start: UNKNOWN_START };
  }
}

const OWN_START = lookUp(process.pid).start;

/** Where a pid means the same process: this machine since it booted, and this container. */
const HOST = createHash('sha256')
  .update(
    [
      hostname(),
      read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')),
      read(() => readlinkSync('/proc/self/ns/pid')),
    ].join('\n'),
  )
  .digest('hex')
  .slice(0, 12);

function read(source: () => string): string {
  try {
    return source();
  } catch {
    return '';
  }
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Taken over: isHeld() says so to whoever needs to know.
  }
}
