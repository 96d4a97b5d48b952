import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A real file system that is small enough to fill. */
export interface SmallDisk {
  readonly path: string;
  /** Fills it to its last byte. */
  fill(): void;
  /** Frees what `fill` took. */
  free(): void;
  unmount(): void;
}

/**
 * Mounts a small file system at a new directory. Returns `undefined` if this user can mount none.
 *
 * @param size - As `mount` takes it: `256k`, `64m`.
 */
export function mountSmallDisk(path: string, size: string): SmallDisk | undefined {
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill() {
      for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) while (grow(ballast, size));
    },
    free: () => rmSync(ballast, { force: true }),
    // Lazily: a thread can still have a file open.
    unmount: () => void execFileSync('umount', ['--lazy', path]),
  };
}

function grow(file: string, size: number): boolean {
  try {
    writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    return true;
  } catch {
    return false;
  }
}
