import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { MemoryError } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { syncFolder } from '@keepsake/internal/node';
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
  checkMissing(path);
  // A file with the name of the backup is always complete.
  const making = `${path}.tmp-${randomBytes(12).toString('hex')}`;
  try {
    // Before SQLite creates it for everybody to read.
    closeSync(openSync(making, 'wx', 0o600));
    await copy(database, making);
    flush(making);
    checkMissing(path);
    renameSync(making, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw toMemoryError(error);
  } finally {
    rmSync(making, { force: true });
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

function checkMissing(path: string): void {
  if (existsSync(path)) throw new MemoryError('CONFLICT', 'A backup needs a new file, and this one exists.');
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
