import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A database file of its own for a test. */
export interface TemporaryFile {
  readonly directory: string;
  readonly file: string;
  /** Puts a file in the place of the directory, so that every use of it fails. */
  hide(): void;
  /** Puts the directory back. */
  show(): void;
  remove(): void;
}

/** Makes an empty directory for a database. */
export function temporaryFile(): TemporaryFile {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-sqlite-'));
  const directory = join(root, 'memory');
  const hidden = join(root, 'hidden');
  mkdirSync(directory);
  return {
    directory,
    file: join(directory, 'memory.db'),
    hide() {
      renameSync(directory, hidden);
      writeFileSync(directory, '');
    },
    show() {
      rmSync(directory);
      renameSync(hidden, directory);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The path of a new database file, which is removed at the end of the test. */
export function newFile(): string {
  const { file, remove } = temporaryFile();
  onTestFinished(remove);
  return file;
}
