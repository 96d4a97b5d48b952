import { closeSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MemoryError } from '@keepsake/core';
import { type Connect, Connection } from './connection.ts';

/** When a change is acknowledged. */
export type Durability = 'sync' | 'os';

/** In pages of mostly 4 KiB: copying changes from the log to the database less often costs less. */
const CHECKPOINT_PAGES = 4_000;
/** In KiB. */
const CACHE_SIZE = 32_768;

interface OpenFile {
  readonly database: DatabaseSync;
  readonly connection: Connection;
  readonly stats: Stats;
}

/** Opens a file at the first use, and again if another file is there by then. */
export function connectToFile(file: string, durability: Durability): Connect {
  let known: OpenFile | undefined;
  return () => {
    if (known !== undefined && isUsable(known, statSync(file, { throwIfNoEntry: false }))) return known.connection;
    const former = known;
    known = undefined;
    former?.database.close();
    known = open(file, durability);
    return known.connection;
  };
}

function open(file: string, durability: Durability): OpenFile {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  create(file);
  expectFile(file);
  const database = new DatabaseSync(file);
  try {
    const connection = new Connection(database);
    connection.execute(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA synchronous = ${durability === 'sync' ? 'FULL' : 'NORMAL'}; PRAGMA cache_size = -${CACHE_SIZE};
      PRAGMA secure_delete = ON`);
    return { database, connection, stats: statSync(file) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates the file if it is missing. Only its owner may read it; SQLite gives its other files the same permissions. */
function create(file: string): void {
  try {
    // Never opens one that is there: closing it would drop the locks that another connection of this process has on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Reading from a pipe, for example, could wait forever. */
function expectFile(file: string): void {
  if (!statSync(file).isFile()) throw new MemoryError('BACKEND', '`file` is not a regular file. Choose another path.');
}

/** What is written to a file that was removed or replaced would be lost. */
function isUsable({ connection, stats }: OpenFile, found: Stats | undefined): boolean {
  return !connection.isBroken && stats.ino === found?.ino && stats.dev === found.dev;
}
