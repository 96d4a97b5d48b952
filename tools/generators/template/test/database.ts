import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SqliteClient } from '../src/index.ts';

/** A new database in a file. Every client is a separate connection, like that of another process. */
export function temporaryDatabase() {
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-sqlite-'));
  const path = join(directory, 'memory.db');
  const opened: DatabaseSync[] = [];
  let broken = false;

  return {
    path,
    connect(): SqliteClient {
      const database = new DatabaseSync(path);
      // A test need not survive a power failure, so its writes need not reach the disk.
      database.exec('PRAGMA synchronous = OFF');
      opened.push(database);
      const working = () => {
        if (broken) throw new Error('disk I/O error');
        return database;
      };
      return { exec: (sql) => working().exec(sql), prepare: (sql) => working().prepare(sql) };
    },
    fail() {
      broken = true;
    },
    heal() {
      broken = false;
    },
    close() {
      for (const database of opened) database.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
