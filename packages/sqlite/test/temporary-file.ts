import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { Connection } from '../src/database/connection.ts';
import { migrate } from '../src/database/migrations.ts';

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
    // Again while a checkpoint in the background still creates files.
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 20 }),
  };
}

let empty: Buffer | undefined;

/** The same with a database that has the tables and nothing else. It is copied: creating tables takes longer than most tests. */
export function temporaryDatabase(): TemporaryFile {
  empty ??= emptyDatabase();
  const made = temporaryFile();
  writeFileSync(made.file, empty, { mode: 0o600 });
  return made;
}

function emptyDatabase(): Buffer {
  const { file, remove } = temporaryFile();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL');
  migrate(new Connection(database));
  database.close();
  const bytes = readFileSync(file);
  remove();
  return bytes;
}

/** The path of a new database file, which is removed at the end of the test. */
export function newFile(): string {
  const { file, remove } = temporaryFile();
  onTestFinished(remove);
  return file;
}
