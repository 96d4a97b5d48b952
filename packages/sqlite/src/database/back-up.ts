import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { MemoryError } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { inBackground } from './background.ts';
import type { Database } from './database.ts';
import { toMemoryError } from './sqlite-errors.ts';

/** Copies a database to a new file, as one transaction sees it. Only the owner may read the copy. */
export async function backUp(database: Database, file: string): Promise<void> {
  expect(
    typeof file === 'string' && file.trim() !== '' && !file.includes('\0'),
    '`file` must be the path of a new file.',
  );
  const path = resolve(file);
  create(path);
  try {
    await copy(database, path);
    flush(path);
  } catch (error) {
    rmSync(path, { force: true });
    throw toMemoryError(error);
  }
}

async function copy(database: Database, path: string): Promise<void> {
  const sql = 'VACUUM INTO ?';
  if (database.file === undefined) {
    await database.read((connection) => connection.run(sql, path));
  } else {
    // Creates the tables if nothing has done so yet.
    await database.read(() => {});
    await inBackground(database.file, (run) => run(sql, path));
  }
}

function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw toMemoryError(cause);
    throw new MemoryError('CONFLICT', 'A backup needs a new file, and this one exists.', { cause });
  }
}

/** SQLite leaves this to the operating system, but a backup must survive a power cut. */
function flush(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
