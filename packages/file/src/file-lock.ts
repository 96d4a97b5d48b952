import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '@keepsake/core';

/*
 * The lock of a folder is one empty file, and its name is its state:
 *
 *   lock-<generation>-free
 *   lock-<generation>-held-<host>-<pid>-<start of the process>-<random>
 *
 * It is taken, given back and taken over by renaming it. A rename is atomic and fails when the old name is gone, so of
 * many that try, one succeeds, and one that acts on what it saw long ago fails. A takeover raises the generation, which
 * the lines of a log carry: so what a holder writes after it was taken for dead is told from what its successor wrote.
 */

/** How long a holder may give no sign of life before it is taken for dead. */
const STALE_MS = 5_000;
/** How often a holder gives one, while it holds the lock for long. */
const HEARTBEAT_MS = 1_000;
/** How long to wait for the lock while its holder is alive. */
const PATIENCE_MS = 30_000;

/** The name of a lock that nobody has held yet. */
export const FIRST_LOCK = 'lock-1-free';

/** A lock that is held. */
export interface HeldLock {
  /** Raised by every takeover. */
  readonly generation: number;
  /** Whether the lock was taken from a holder that was dead, or seemed so. */
  readonly takenOver: boolean;
  /** Whether nobody has taken it over meanwhile. */
  isHeld(): boolean;
  release(): void;
}

/**
 * Takes the lock of a folder, waiting for it where need be; `undefined` when the folder has none, or is not there.
 *
 * A holder that has died on this machine is taken over at once, one that gives no sign of life after 5 seconds.
 *
 * @throws MemoryError `TIMEOUT` when others keep it busy for 30 seconds.
 */
export async function lockFolder(folder: string): Promise<HeldLock | undefined> {
  const start = performance.now();
  let seen: Sighting | undefined;
  for (let attempt = 0; ; attempt++) {
    const lock = findLock(folder);
    if (lock === undefined) return undefined;
    seen = look(folder, lock, seen);
    const takeOver = lock.holder !== undefined && (isDead(lock.holder) || performance.now() - seen.since > STALE_MS);
    if (lock.holder === undefined || takeOver) {
      const held = tryTake(folder, lock, takeOver);
      if (held) return held;
      continue;
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

interface Lock {
  readonly name: string;
  readonly generation: number;
  /** Missing while it is free. */
  readonly holder: { readonly host: string; readonly pid: number; readonly start: string } | undefined;
}

const LOCK = /^lock-(\d+)-(?:free|held-([0-9a-f]+)-(\d+)-(\d+)-[0-9a-f]+)$/;

function findLock(folder: string): Lock | undefined {
  for (const name of listFolder(folder)) {
    const match = LOCK.exec(name);
    if (match === null) continue;
    const [, generation, host, pid, start] = match;
    const holder = host === undefined ? undefined : { host, pid: Number(pid), start: String(start) };
    return { name, generation: Number(generation), holder };
  }
  return undefined;
}

function tryTake(folder: string, lock: Lock, takenOver: boolean): HeldLock | undefined {
  const generation = takenOver ? lock.generation + 1 : lock.generation;
  const own = join(
    folder,
    `lock-${generation}-held-${HOST}-${process.pid}-${startOf(process.pid)}-${randomBytes(8).toString('hex')}`,
  );
  if (!tryRename(join(folder, lock.name), own)) return undefined;
  const heartbeat = setInterval(() => touch(own), HEARTBEAT_MS).unref();
  return {
    generation,
    takenOver,
    isHeld: () => existsSync(own),
    release() {
      clearInterval(heartbeat);
      tryRename(own, join(folder, `lock-${generation}-free`));
    },
  };
}

/** Since when a lock has looked as it does now, by this process's own clock: those of other machines may differ. */
interface Sighting {
  readonly state: string;
  readonly since: number;
}

function look(folder: string, lock: Lock, before: Sighting | undefined): Sighting {
  const modified = statSync(join(folder, lock.name), { throwIfNoEntry: false })?.mtimeMs;
  const state = `${lock.name} ${modified}`;
  return before?.state === state ? before : { state, since: performance.now() };
}

function isDead({ host, pid, start }: NonNullable<Lock['holder']>): boolean {
  if (host !== HOST) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not ESRCH: it lives, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = startOf(pid);
  return start !== UNKNOWN_START && now !== UNKNOWN_START && now !== start;
}

const UNKNOWN_START = '0';

/** When a process started, in ticks since boot: tells it from a later one of the same pid. Known on Linux alone. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in parentheses and may hold spaces: count after the last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? UNKNOWN_START;
  } catch {
    return UNKNOWN_START;
  }
}

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

/** The names in a folder; none where it is not there. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Renames a file; false when it is not there. */
function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
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
