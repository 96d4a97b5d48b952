import { MemoryError } from '@keepsake/core';
import { expect, uuidv7 } from '@keepsake/core/adapter';
import type { Database } from '../database/database.ts';
import { toMemoryError } from '../database/sqlite-errors.ts';
import { inBackground } from './background.ts';
import { fromNode } from './from-node.ts';

/** Copies a database to a new file, as one transaction sees it. Only the owner may read the copy. */
export async function backUp(database: Database, file: string): Promise<void> {
  expect(
    typeof file === 'string' && file.trim() !== '' && !file.includes('\0'),
    '`file` must be the path of a new file.',
  );
  if (await database.read(({ isManaged }) => isManaged)) {
    throw new MemoryError(
      'UNSUPPORTED',
      'A Durable Object has no file to copy. Cloudflare can restore its storage to any time of the last 30 days: see `getBookmarkForTime()`.',
    );
  }
  const { closeSync, openSync, renameSync, rmSync } = fromNode('node:fs');
  const { dirname, resolve } = fromNode('node:path');
  const path = resolve(file);
  checkMissing(path);
  // A file with the name of the backup is always complete.
  const making = `${path}.tmp-${uuidv7()}`;
  try {
    // Before SQLite creates it for everybody to read.
    closeSync(openSync(making, 'wx', 0o600));
    await copy(database, making);
    flush(making, 'r+');
    checkMissing(path);
    renameSync(making, path);
    // Windows can't open a folder, and need not flush it.
    if (process.platform !== 'win32') flush(dirname(path), 'r');
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
  if (fromNode('node:fs').existsSync(path))
    throw new MemoryError('CONFLICT', 'A backup needs a new file, and this one exists.');
}

/** SQLite leaves this to the operating system, but a backup must survive a power cut. */
function flush(path: string, flags: 'r' | 'r+'): void {
  const { closeSync, fsyncSync, openSync } = fromNode('node:fs');
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
