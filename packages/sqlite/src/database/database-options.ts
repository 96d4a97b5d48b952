import { resolve } from 'node:path';
import { expect, type FieldNames } from '@keepsake/core/adapter';
import { Connection, type Connections } from './connection.ts';
import { Database } from './database.ts';
import { connectToFile, type Durability } from './open-file.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** Where data is stored: a `file`, or a `database`. */
export interface SqliteOptions {
  /**
   * The path of the database file. It is created if it is missing, with its directory. Any number of sessions and stores
   * can share it, also in several processes.
   */
  readonly file?: string | undefined;
  /**
   * An open `DatabaseSync` of `node:sqlite`, which you close. Its tables with names that begin with `keepsake_` are used. It
   * is not for use within a transaction of yours.
   */
  readonly database?: SqliteDatabase | undefined;
  /**
   * When a change in a `file` is acknowledged. `'sync'`: once it is on the disk and survives a power cut. `'os'`: once the
   * operating system has it and it survives the end of the process.
   *
   * @default 'sync'
   */
  readonly durability?: Durability | undefined;
}

/** The names of {@link SqliteOptions}, for options that add to them. */
export const SQLITE_OPTIONS: FieldNames<SqliteOptions> = { file: true, database: true, durability: true };

/**
 * The one database of this process for a file and a durability, or for a `database`.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for invalid options. Opens nothing.
 */
export function openDatabase({ file, database, durability = 'sync' }: SqliteOptions): Database {
  expect((file === undefined) !== (database === undefined), 'Pass either `file` or `database`.');
  expect(durability === 'sync' || durability === 'os', "`durability` must be 'sync' or 'os'.");
  if (database !== undefined) return databaseOf(database);
  expect(typeof file === 'string' && file.trim() !== '' && !file.includes('\0'), '`file` must be the path of a file.');
  expect(
    file !== ':memory:',
    '`file` must be the path of a file. For memory of this process, use @keepsake/in-memory.',
  );
  return databaseIn(resolve(file), durability);
}

/** Sessions and stores share a file: two connections would wait for each other's locks. */
const inFiles = new Map<string, Database>();

function databaseIn(file: string, durability: Durability): Database {
  const key = `${durability} ${file}`;
  let known = inFiles.get(key);
  if (known === undefined) {
    known = new Database(connectToFile(file, durability), file);
    inFiles.set(key, known);
  }
  return known;
}

const ofCallers = new WeakMap<SqliteDatabase, Database>();

function databaseOf(database: SqliteDatabase): Database {
  const isDatabase = typeof database?.exec === 'function' && typeof database.prepare === 'function';
  expect(isDatabase, '`database` must be a DatabaseSync of node:sqlite.');
  let known = ofCallers.get(database);
  if (known === undefined) {
    known = new Database(connectTo(database));
    ofCallers.set(database, known);
  }
  return known;
}

function connectTo(database: SqliteDatabase): Connections {
  let connection: Connection | undefined;
  return {
    usual() {
      if (connection === undefined) {
        const opened = new Connection(database);
        const row = opened.first<{ one: number }>('SELECT 1 AS one');
        expect(row?.one === 1, 'Open the `database` without `readBigInts` and without `returnArrays`.');
        opened.execute('PRAGMA secure_delete = ON');
        connection = opened;
      }
      return connection;
    },
  };
}
