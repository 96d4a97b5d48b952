import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate directory for a test. */
export interface TemporaryDirectory {
  readonly path: string;
  /** Replaces the directory with a file, so that every use of it fails. */
  hide(): void;
  /** Restores the directory. */
  show(): void;
  remove(): void;
}

/** Creates an empty directory. */
export function temporaryDirectory(): TemporaryDirectory {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-'));
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
