import { closeSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { MemoryError } from '@keepsake/core';
import { Connection, type Connections } from './connection.ts';

/** When a change is acknowledged. */
export type Durability = 'sync' | 'os';

/** In KiB. */
const CACHE_SIZE = 32_768;
/** Less, so that a large batch is mostly in the log before its end, which is one step. */
const CACHE_SIZE_APART = 4_096;

interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly connection: Connection;
}

interface OpenFile extends OpenDatabase {
  readonly stats: Stats;
  /** Opened at its first use. */
  apart?: OpenDatabase;
}

/** Opens a file at the first use, and again if another file is there by then. */
export function connectToFile(file: string, durability: Durability): Connections {
  let known: OpenFile | undefined;
  const opened = () => {
    if (known !== undefined && isUsable(known, statSync(file, { throwIfNoEntry: false }))) return known;
    const former = known;
    known = undefined;
    former?.apart?.database.close();
    former?.database.close();
    known = { ...open(file, durability, CACHE_SIZE), stats: statSync(file) };
    return known;
  };
  return {
    usual: () => opened().connection,
    apart() {
      const both = opened();
      if (both.apart === undefined || both.apart.connection.isBroken) {
        both.apart?.database.close();
        both.apart = open(file, durability, CACHE_SIZE_APART);
      }
      return both.apart.connection;
    },
  };
}

function open(file: string, durability: Durability, cacheSize: number): OpenDatabase {
  const { DatabaseSync } = sqlite();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  create(file);
  expectFile(file);
  const database = new DatabaseSync(file);
  try {
    const connection = new Connection(database);
    // See checkpoints.ts for what SQLite would do at the end of a change.
    connection.execute(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      PRAGMA synchronous = ${durability === 'sync' ? 'FULL' : 'NORMAL'}; PRAGMA cache_size = -${cacheSize};
      PRAGMA secure_delete = ON`);
    return { database, connection };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Not imported, because a Node without it could not load this package, and would not say why. */
function sqlite(): typeof import('node:sqlite') {
  const found = process.getBuiltinModule?.('node:sqlite');
  if (found !== undefined) return found;
  throw new MemoryError(
    'UNSUPPORTED',
    `SQLite files need Node.js 22.13 or newer, and this is ${process.version}. Install a newer one.`,
  );
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
