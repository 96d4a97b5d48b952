import { mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHARE } from '@keepsake/testing/share';

/** A separate directory for a test. */
export interface TemporaryDirectory {
  readonly path: string;
  /** Replaces the directory with a file, so that every use of it fails. */
  hide(): void;
  /** Restores the directory. */
  show(): void;
  remove(): void;
}

/** Where Linux has a file system in memory. */
const MEMORY = '/dev/shm';

/** By day, directories are in memory if there is room for them, which spares waiting for a disk. At night, they are on disk. */
const PARENT = SHARE < 1 && roomIn(MEMORY) > 2 ** 30 ? MEMORY : tmpdir();

/** The free bytes of a file system; 0 if there is none. */
function roomIn(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Creates an empty directory. */
export function temporaryDirectory(parent = PARENT): TemporaryDirectory {
  const root = mkdtempSync(join(parent, 'keepsake-'));
  const path = join(root, 'memory');
  const hidden = join(root, 'hidden');
  mkdirSync(path);
  return {
    path,
    hide() {
      renameSync(path, hidden);
      writeFileSync(path, '');
    },
    show() {
      rmSync(path);
      renameSync(hidden, path);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
