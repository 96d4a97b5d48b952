import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of its own for a test. */
export interface TemporaryDirectory {
  readonly path: string;
  /** Puts a file in the directory's place, so that every use of it fails. */
  hide(): void;
  /** Puts the directory back. */
  show(): void;
  remove(): void;
}

/** Makes an empty directory. */
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
