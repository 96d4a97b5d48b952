import type { Stats } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { MemoryError } from '@keepsake/core';
import { Connection, type Connections } from '../database/connection.ts';
import { fromNode } from './from-node.ts';
import { logOf } from './log-length.ts';

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
  /** Missing if SQLite has no log there. It stays the same file as long as the database is open. */
  readonly log: Stats | undefined;
  /** Opened at its first use. */
  apart?: OpenDatabase;
}

/** Opens a file at the first use, and again if another file is there by then. */
export function connectToFile(file: string, durability: Durability): Connections {
  let openFile: OpenFile | undefined;
  const opened = () => {
    const isThere = openFile !== undefined && isSameFile(openFile.stats, statsOf(file));
    if (openFile !== undefined && isThere && !openFile.connection.isBroken) return openFile;
    const former = openFile;
    openFile = undefined;
    if (former !== undefined && !isThere) removeLog(file, former);
    former?.apart?.database.close();
    former?.database.close();
    const opened = open(file, durability, CACHE_SIZE);
    openFile = { ...opened, stats: fromNode('node:fs').statSync(file), log: statsOf(logOf(file)) };
    return openFile;
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
  const { DatabaseSync } = fromNode('node:sqlite');
  fromNode('node:fs').mkdirSync(fromNode('node:path').dirname(file), { recursive: true, mode: 0o700 });
  create(file);
  expectFile(file);
  const database = new DatabaseSync(file);
  try {
    const connection = new Connection(database);
    // See checkpoints.ts for what SQLite would do at the end of a change.
    connection.execute(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      PRAGMA synchronous = ${durability === 'sync' ? 'FULL' : 'NORMAL'}; PRAGMA cache_size = -${cacheSize};
      PRAGMA secure_delete = ON`);
    // Opens the log.
    connection.first('PRAGMA schema_version');
    return { database, connection };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates the file if it is missing. Only its owner may read it; SQLite gives its other files the same permissions. */
function create(file: string): void {
  const { closeSync, openSync } = fromNode('node:fs');
  try {
    // Never opens one that is there: closing it would drop the locks that another connection of this process has on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Reading from a pipe, for example, could wait forever. */
function expectFile(file: string): void {
  if (!fromNode('node:fs').statSync(file).isFile())
    throw new MemoryError('BACKEND', '`file` is not a regular file. Choose another path.');
}

/**
 * Removes the log of a file that was removed or replaced: SQLite would read its pages as those of the file that is there now.
 * Leaves the log of a database that another process has opened there. Call it while the former file is open, so that no new
 * file can have its number.
 */
function removeLog(file: string, { log }: OpenFile): void {
  if (log === undefined || !isSameFile(log, statsOf(logOf(file)))) return;
  const { rmSync } = fromNode('node:fs');
  rmSync(`${file}-shm`, { force: true });
  rmSync(logOf(file), { force: true });
}

function statsOf(path: string): Stats | undefined {
  return fromNode('node:fs').statSync(path, { throwIfNoEntry: false });
}

function isSameFile(openStats: Stats, fileStats: Stats | undefined): boolean {
  return openStats.ino === fileStats?.ino && openStats.dev === fileStats.dev;
}
