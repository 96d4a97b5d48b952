import { MemoryError } from '@keepsake/core';
import { expect, type FieldNames } from '@keepsake/core/adapter';
import { fromNode } from '../file/from-node.ts';
import { connectToFile, type Durability } from '../file/open-file.ts';
import { Connection, type Connections } from './connection.ts';
import { Database } from './database.ts';
import { type DurableObjectDatabase, fromDurableObject, type SqliteDatabase } from './sqlite-database.ts';

/** Where data is stored: a `file`, or a `database`. */
export interface SqliteOptions {
  /**
   * The path of the database file. It is created if it is missing, with its directory. Any number of sessions and stores
   * can share it, also in several processes.
   */
  readonly file?: string | undefined;
  /**
   * An open database of `node:sqlite`, `better-sqlite3`, `libsql` or `bun:sqlite`, which you close, or the `ctx.storage` of a
   * Durable Object of Cloudflare. Its tables with names that begin with `keepsake_` are used. It is not for use within a
   * transaction of yours.
   */
  readonly database?: SqliteDatabase | DurableObjectDatabase | undefined;
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
  return databaseIn(fromNode('node:path').resolve(file), durability);
}

/** Sessions and stores share a file: two connections would wait for each other's locks. */
const inFiles = new Map<string, Database>();

function databaseIn(file: string, durability: Durability): Database {
  const key = `${durability} ${file}`;
  let knownDatabase = inFiles.get(key);
  if (knownDatabase === undefined) {
    knownDatabase = new Database(connectToFile(file, durability), file);
    inFiles.set(key, knownDatabase);
  }
  return knownDatabase;
}

type CallersDatabase = NonNullable<SqliteOptions['database']>;

const ofCallers = new WeakMap<CallersDatabase, Database>();

function databaseOf(database: CallersDatabase): Database {
  if (isAsynchronous(database)) {
    throw new MemoryError(
      'UNSUPPORTED',
      '`database` must be synchronous: a change reads and then writes in one transaction. In place of D1, use the storage of a Durable Object; in place of @libsql/client, use libsql.',
    );
  }
  const isDatabase = isDurableObject(database) || (has(database, 'exec') && has(database, 'prepare'));
  expect(
    isDatabase,
    '`database` must be one of node:sqlite, better-sqlite3, libsql or bun:sqlite, or a `ctx.storage`.',
  );
  let knownDatabase = ofCallers.get(database);
  if (knownDatabase === undefined) {
    knownDatabase = new Database(connectTo(database));
    ofCallers.set(database, knownDatabase);
  }
  return knownDatabase;
}

/** D1 and @libsql/client have this method, and no synchronous ones. */
function isAsynchronous(database: CallersDatabase): boolean {
  return has(database, 'batch');
}

/** Of libsql: only a replica can be synchronized, and others say why not. */
function isOnServer(database: SqliteDatabase & { sync?(): unknown }): boolean {
  if (!has(database, 'sync')) return false;
  try {
    database.sync?.();
    return true;
  } catch (error) {
    return !/SyncNotSupported\("(?:File|Memory)"\)/.test(String(error));
  }
}

function isDurableObject(database: CallersDatabase): database is DurableObjectDatabase {
  return has(database, 'transactionSync');
}

function has(database: CallersDatabase, method: string): boolean {
  return typeof (database as unknown as Record<string, unknown> | null)?.[method] === 'function';
}

function connectTo(database: CallersDatabase): Connections {
  let connection: Connection | undefined;
  return {
    usual() {
      if (connection === undefined) {
        if (isDurableObject(database)) {
          connection = new Connection(fromDurableObject(database), (work) => database.transactionSync(work));
          return connection;
        }
        if (isOnServer(database)) {
          throw new MemoryError(
            'UNSUPPORTED',
            '`database` must be a local file. In a libsql database on a server, or a replica of one, each statement of a change goes to the server, and your process stops until it answers. For several machines, use @keepsake/postgres or @keepsake/redis.',
          );
        }
        const opened = new Connection(database);
        const row = opened.first<{ one: number }>('SELECT 1 AS one');
        expect(row?.one === 1, 'Open the `database` without `readBigInts`, `returnArrays` or `safeIntegers`.');
        opened.execute('PRAGMA secure_delete = ON');
        connection = opened;
      }
      return connection;
    },
  };
}
